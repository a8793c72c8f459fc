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

// What the agent asks for: which descriptors come with it. The block comes in a memory file, the first of them.
struct stem_request {
    uint32_t id;
    uint32_t length;
    uint32_t has_extra;
};

enum { REQUEST_FDS = LAUNCH_FDS + 1, RENEW_MILLIS = 100 };

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

static ssize_t receive(int socket, struct stem_request *request, int fds[REQUEST_FDS]) {
    union descriptors_message control;
    struct iovec vector = {request, sizeof *request};
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

static void serve(int socket, const struct stem_request *request, const int fds[REQUEST_FDS]) {
    struct stem_report report = {request->id, -1};
    uint8_t *block = mmap(NULL, request->length, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    if (block != MAP_FAILED && fds[REQUEST_FDS - 2] >= 0) {
        long child = syscall(SYS_clone, (unsigned long)(CLONE_PARENT | SIGCHLD), NULL, NULL, NULL, NULL);
        if (child == 0) {
            launch_child(block, request->length, fds + 1, socket, request->id);
        }
        if (child > 0) {
            report.pid = (int32_t)child;
        }
    }
    // The child reports itself, before anything can happen to it that its parent would have to know the id for.
    if (report.pid < 0) {
        send(socket, &report, sizeof report, MSG_NOSIGNAL);
    }
    if (block != MAP_FAILED) {
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
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_NAME, "stem", 0, 0, 0);
    struct stem_report stands = {0, join() ? getpid() : -errno};
    // The stem needs nothing of what the agent has open but its socket and its standard error.
    int mine = dup2(socket, 3);
    syscall(SYS_close_range, (unsigned)mine + 1, ~0U, 0);
    if (!options.keep_privileges) {
        // Here and not in each child, so that all of the workload is one domain and its members reach each other.
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        confine_scope();
    }
    send(mine, &stands, sizeof stands, MSG_NOSIGNAL);
    for (;;) {
        struct stem_request request;
        int fds[REQUEST_FDS];
        ssize_t count = receive(mine, &request, fds);
        if (count == 0 || (count < 0 && errno != EINTR && errno != ENOMEM && errno != EMFILE)) {
            _exit(0);
        }
        if (count == (ssize_t)sizeof request) {
            serve(mine, &request, fds);
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
            launcher_report(report.id, report.pid);
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
    if (recv(socket_poller.fd, &report, sizeof report, 0) != (ssize_t)sizeof report || report.pid < 0) {
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

// A memory file, because a message has a bound and arguments have a higher one.
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

bool stem_ask(uint32_t id, const struct bytes *block, const int fds[LAUNCH_FDS]) {
    int file = socket_poller.fd < 0 ? -1 : memory_file(block);
    if (file < 0) {
        return false;
    }
    struct stem_request request = {id, (uint32_t)block->length, fds[LAUNCH_EXTRA] >= 0};
    int passed[REQUEST_FDS] = {file};
    memcpy(passed + 1, fds, sizeof(int) * LAUNCH_FDS);
    size_t count = request.has_extra ? REQUEST_FDS : REQUEST_FDS - 1;
    union descriptors_message control;
    memset(&control, 0, sizeof control);
    struct iovec vector = {&request, sizeof request};
    struct msghdr message = {.msg_iov = &vector,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), passed, sizeof(int) * count);
    bool sent = sendmsg(socket_poller.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
    close(file);
    return sent;
}
