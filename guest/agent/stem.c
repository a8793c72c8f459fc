#include "stem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"
#include "launcher.h"
#include "loop.h"
#include "options.h"

// What the agent asks for. The block follows in the same message, or, if it is long, in a memory file, the last of the
// descriptors.
struct stem_request {
    uint32_t id;
    uint32_t place;
    uint32_t length;
    uint32_t has_extra;
};

enum {
    REQUEST_FDS = LAUNCH_FDS + 1,
    INLINE_BYTES_MAX = 32 * 1024,
    RENEW_MILLIS = 100,
};

struct stem_message {
    struct stem_request request;
    uint8_t block[INLINE_BYTES_MAX];
};

union descriptors_message {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * REQUEST_FDS)];
};

static struct poller socket_poller;
static pid_t pid = -1;
static struct timer renewal;

pid_t stem_pid(void) {
    return pid;
}

static ssize_t receive(int socket, struct stem_message *into, int fds[REQUEST_FDS]) {
    union descriptors_message control;
    struct iovec vector = {into, sizeof *into};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    for (int i = 0; i < REQUEST_FDS; i++) {
        fds[i] = -1;
    }
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header != NULL && header->cmsg_type == SCM_RIGHTS) {
        size_t length = header->cmsg_len - CMSG_LEN(0);
        memcpy(fds, CMSG_DATA(header), length < sizeof(int) * REQUEST_FDS ? length : sizeof(int) * REQUEST_FDS);
    }
    return count;
}

static void serve(int socket, struct stem_message *message, const int fds[REQUEST_FDS]) {
    const struct stem_request *request = &message->request;
    struct stem_report report = {request->id, {-1, 0, 0}};
    bool is_inline = request->length <= INLINE_BYTES_MAX;
    int first = request->has_extra ? LAUNCH_EXTRA : LAUNCH_STDERR;
    int file = is_inline || first + 1 >= REQUEST_FDS ? -1 : fds[first + 1];
    int own[LAUNCH_FDS] = {fds[LAUNCH_STDIN], fds[LAUNCH_STDOUT], fds[LAUNCH_STDERR],
                           request->has_extra ? fds[LAUNCH_EXTRA] : -1};
    uint8_t *block = is_inline
        ? message->block
        : mmap(NULL, request->length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (block != MAP_FAILED && fds[first] >= 0) {
        struct launch_fate *fate = launcher_fate(request->place);
        pid_t child = launch_spawn(block, request->length, own, true, fate);
        if (child > 0) {
            report.fate = (struct launch_fate){child, fate->stage, fate->error};
        }
    }
    send(socket, &report, sizeof report, MSG_NOSIGNAL);
    if (!is_inline && block != MAP_FAILED) {
        munmap(block, request->length);
    }
}

static bool join(void) {
    for (int i = 0; i < options.join_count; i++) {
        if (write(options.joins[i], "0", 1) != 1) {
            return false;
        }
    }
    return true;
}

static void __attribute__((noreturn)) stem_main(int socket) {
    static struct stem_message message;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_NAME, "stem", 0, 0, 0);
    struct stem_report stands = {0, {join() ? getpid() : -errno, 0, 0}};
    // The stem needs nothing of what the agent has open but its socket and its standard error.
    int mine = dup2(socket, 3);
    syscall(SYS_close_range, (unsigned)mine + 1, ~0U, 0);
    if (!options.keep_privileges) {
        // Here and not in each child, so that all of the workload is one domain and its members reach each other.
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        confine_scope();
        confine_prepare();
    }
    launch_inherit();
    send(mine, &stands, sizeof stands, MSG_NOSIGNAL);
    for (;;) {
        int fds[REQUEST_FDS];
        ssize_t count = receive(mine, &message, fds);
        if (count == 0 || (count < 0 && errno != EINTR && errno != ENOMEM && errno != EMFILE)) {
            _exit(0);
        }
        if (count >= (ssize_t)sizeof message.request) {
            serve(mine, &message, fds);
        }
        for (int i = 0; i < REQUEST_FDS; i++) {
            if (fds[i] >= 0) {
                close(fds[i]);
            }
        }
    }
}

void stem_settle(void) {
    struct stem_report report;
    while (socket_poller.fd >= 0
           && recv(socket_poller.fd, &report, sizeof report, MSG_DONTWAIT) == (ssize_t)sizeof report) {
        if (report.id != 0) {
            launcher_report(report.id, &report.fate);
        }
    }
}

static void on_ready(struct poller *poller, uint32_t ready) {
    stem_settle();
    if ((ready & (EPOLLHUP | EPOLLERR)) != 0) {
        poller_want(poller, 0); // it died; SIGCHLD says so
    }
}

static bool fork_stem(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return false;
    }
    pid = fork();
    if (pid == 0) {
        stem_main(pair[1]);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return false;
    }
    poller_init(&socket_poller, pair[0], on_ready);
    return true;
}

static void on_renewal(struct timer *timer) {
    if (!fork_stem()) {
        timer_set(timer, loop_now() + RENEW_MILLIS * MILLISECOND);
        return;
    }
    poller_want(&socket_poller, EPOLLIN);
}

bool stem_start(void) {
    timer_init(&renewal, on_renewal);
    if (!fork_stem()) {
        return false;
    }
    struct stem_report report;
    if (recv(socket_poller.fd, &report, sizeof report, 0) != (ssize_t)sizeof report || report.fate.pid < 0) {
        return false;
    }
    return poller_want(&socket_poller, EPOLLIN);
}

void stem_renew(void) {
    stem_settle();
    poller_close(&socket_poller);
    pid = -1;
    on_renewal(&renewal);
}

// A message has a bound, and arguments have a higher one.
static int memory_file(const struct bytes *block) {
    int fd = memfd_create("launch", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < block->length) {
        ssize_t count = write(fd, block->data + done, block->length - done);
        if (count <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)count;
    }
    return fd;
}

bool stem_ask(uint32_t id, uint32_t place, const struct bytes *block, const int fds[LAUNCH_FDS]) {
    bool is_inline = block->length <= INLINE_BYTES_MAX;
    int file = socket_poller.fd < 0 || is_inline ? -1 : memory_file(block);
    if (socket_poller.fd < 0 || (!is_inline && file < 0)) {
        return false;
    }
    struct stem_request request = {id, place, (uint32_t)block->length, fds[LAUNCH_EXTRA] >= 0};
    int passed[REQUEST_FDS];
    size_t count = request.has_extra ? LAUNCH_FDS : LAUNCH_FDS - 1;
    memcpy(passed, fds, sizeof(int) * count);
    if (file >= 0) {
        passed[count++] = file;
    }
    union descriptors_message control;
    memset(&control, 0, sizeof control);
    struct iovec vectors[] = {{&request, sizeof request}, {block->data, block->length}};
    struct msghdr message = {.msg_iov = vectors,
                             .msg_iovlen = is_inline ? 2 : 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), passed, sizeof(int) * count);
    bool sent = sendmsg(socket_poller.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
    if (file >= 0) {
        close(file);
    }
    return sent;
}
