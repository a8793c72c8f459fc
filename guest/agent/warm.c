#include "warm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fields.h"
#include "loop.h"

// Descriptors that come with a record: standard output, standard error, records.
enum { WARM_MAX = 4, RECORD_BYTES = 256, PASSED_FDS = 3 };

struct offer {
    struct poller poller;
};

struct entry {
    enum language language;
    struct warm_kernel kernel;
};

static struct poller listener;
static struct entry entries[WARM_MAX];
static size_t count;

static bool is_root(int fd) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == 0;
}

// Reads LANGUAGE and PROCESS_ID.
static bool parse(const uint8_t *record, size_t length, struct entry *entry) {
    char word[32];
    uint64_t pid = 0;
    if (length < 4 || load_u32(record) != length - 4 || !fields_check(record + 4, length - 4)) {
        return false;
    }
    struct fields fields = {record + 4, length - 4};
    if (fields_text(&fields, TAG_LANGUAGE, word, sizeof word) != FIELD_FOUND
        || fields_number(&fields, TAG_PROCESS_ID, &pid) != FIELD_FOUND || pid < 2 || pid > INT32_MAX) {
        return false;
    }
    entry->language = language_of(word);
    entry->kernel.pid = (pid_t)pid;
    return entry->language != LANGUAGE_UNKNOWN;
}

static void keep(const struct entry *entry, const int fds[PASSED_FDS]) {
    for (int i = 0; i < PASSED_FDS; i++) {
        fcntl(fds[i], F_SETFL, O_NONBLOCK);
    }
    entries[count] = *entry;
    entries[count].kernel.out = fds[0];
    entries[count].kernel.err = fds[1];
    entries[count].kernel.socket = fds[2];
    count++;
}

// One message is one offer: record and descriptors come together.
static void on_offer(struct poller *poller, uint32_t ready) {
    struct offer *offer = CONTAINER(poller, struct offer, poller);
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * PASSED_FDS)];
    } control;
    uint8_t record[RECORD_BYTES];
    struct iovec vector = {record, sizeof record};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int fds[PASSED_FDS] = {-1, -1, -1};
    struct entry entry = {0};
    (void)ready;
    ssize_t length = recvmsg(poller->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        size_t bytes = header->cmsg_len - CMSG_LEN(0);
        memcpy(fds, CMSG_DATA(header), bytes < sizeof fds ? bytes : sizeof fds);
    }
    if (count < WARM_MAX && fds[PASSED_FDS - 1] >= 0 && parse(record, (size_t)length, &entry)) {
        keep(&entry, fds);
    } else {
        for (int i = 0; i < PASSED_FDS; i++) {
            if (fds[i] >= 0) {
                close(fds[i]);
            }
        }
    }
    poller_close(poller);
    free(offer);
}

static void on_connection(struct poller *poller, uint32_t ready) {
    (void)ready;
    int fd = accept4(poller->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct offer *offer = fd >= 0 && is_root(fd) ? calloc(1, sizeof *offer) : NULL;
    if (offer == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    poller_init(&offer->poller, fd, on_offer);
    if (!poller_want(&offer->poller, EPOLLIN)) {
        poller_close(&offer->poller);
        free(offer);
    }
}

bool warm_start(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return false;
    }
    strcpy(address.sun_path, path);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t before = umask(0177);
    bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, WARM_MAX) == 0;
    umask(before);
    poller_init(&listener, fd, on_connection);
    return ok && poller_want(&listener, EPOLLIN);
}

bool warm_has(enum language language) {
    for (size_t i = 0; i < count; i++) {
        if (entries[i].language == language) {
            return true;
        }
    }
    return false;
}

bool warm_take(enum language language, struct warm_kernel *kernel) {
    for (size_t i = 0; i < count; i++) {
        if (entries[i].language == language) {
            *kernel = entries[i].kernel;
            entries[i] = entries[--count];
            return true;
        }
    }
    return false;
}
