#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "privileges.h"
#include "roots.h"
#include "sys.h"

#define PROGRAM "/opt/glovebox/kernels/zygote.py"
/* The supervisor opens others with these numbers before anything else, so that none of the plan's can have them. */
enum { CHANNEL = 3, FILTER = 4 };
/* The first ones of a request: the sandbox's process, and two pipes. */
enum { FIXED = 3, DESCRIPTORS_MAX = CGROUP_HIERARCHIES_MAX + FIXED };

static void put(const plan *p, int from, int to) {
    if (from < 0 || dup2(from, to) < 0) {
        plan_fail(p, "the zygote's descriptors cannot be put in place");
    }
}

void zygote_become(const plan *p) {
    static const char *const arguments[] = {"python3", PROGRAM, NULL};
    static const char *const environment[] = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent", NULL};
    for (int i = 0; i < p->join_count; i++) {
        if (write(p->joins[i], "0", 1) != 1) {
            plan_fail(p, "the zygote's control group cannot be joined");
        }
    }
    roots_enter_zygote(p);
    if (access(PROGRAM, R_OK) != 0) {
        plan_fail(p, "the template has no " PROGRAM " (build it anew)");
    }
    privileges_limit(p);
    privileges_keep_zygotes(p);
    plan_die_with_supervisor(p);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    put(p, null, STDIN_FILENO);
    put(p, null, STDOUT_FILENO);
    put(p, p->log, STDERR_FILENO);
    put(p, p->channel, CHANNEL);
    put(p, p->filter, FILTER);
    execve("/usr/bin/python3", (char *const *)(uintptr_t)arguments, (char *const *)(uintptr_t)environment);
    plan_fail(p, "the template's /usr/bin/python3 cannot be started");
}

/* A message with no room to wait in is not sent: the sandbox then goes without. */
static int send_request(int channel, const int *fds, int count) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
    } control;
    static char path[] = ZYGOTE_KERNEL_SOCKET;
    size_t bytes = sizeof(int) * (size_t)count;
    struct iovec vector = {path, sizeof path - 1};
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(header), fds, bytes);
    return sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int zygote_ask(int channel, int pidfd, const cgroup *group, int *go) {
    int done[2];
    int start[2];
    int fds[DESCRIPTORS_MAX];
    if (pipe2(done, O_CLOEXEC | O_NONBLOCK) != 0) {
        return -1;
    }
    if (pipe2(start, O_CLOEXEC) != 0) {
        close(done[0]);
        close(done[1]);
        return -1;
    }
    fds[0] = pidfd;
    fds[1] = done[1];
    fds[2] = start[0];
    int joins = cgroup_open_joins(group, fds + FIXED);
    int result = joins < 0 ? -1 : send_request(channel, fds, joins + FIXED);
    int failure = errno;
    for (int i = 0; i < joins; i++) {
        close(fds[FIXED + i]);
    }
    close(done[1]);
    close(start[0]);
    if (result != 0) {
        close(done[0]);
        close(start[1]);
        errno = failure;
        return -1;
    }
    *go = start[1];
    return done[0];
}
