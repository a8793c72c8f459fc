// glovebox-agent: the first process of a Linux sandbox. See docs/agent-protocol.md.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "channel.h"
#include "connection.h"
#include "context.h"
#include "job.h"
#include "lanes.h"
#include "launcher.h"
#include "loop.h"
#include "memory.h"
#include "options.h"
#include "settings.h"
#include "stem.h"
#include "users.h"
#include "warm.h"

void agent_end(int status) {
    jobs_kill_all();
    _exit(status);
}

static void __attribute__((noreturn)) give_up(const char *what) {
    fprintf(stderr, "glovebox-agent: %s\n", what);
    exit(1);
}

static void on_lost(void) {
    agent_end(0);
}

static void end_turn(void) {
    users_forget();
    connection_flush();
}

// What whoever started this process ignores is none of a guest's business: its programs would inherit it.
static void heed_signals(void) {
    struct sigaction now;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) {
            signal(number, SIG_DFL);
        }
    }
}

// Nothing of a guest may look into this process, and no program that it starts may inherit what it has open.
static void protect(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    heed_signals();
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) < 0) {
        for (int fd = 3; fd < 1024; fd++) {
            int flags = fcntl(fd, F_GETFD);
            if (flags >= 0) {
                fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
            }
        }
    }
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    // Permitted to fail where a user namespace has no say in groups.
    if (geteuid() == 0 && setgroups(0, NULL) < 0 && errno != EPERM) {
        give_up("cannot give up its groups");
    }
}

// Moves the connection out of the way of what programs know as standard input and output. It is one socket, on
// descriptor 0 or on both, or two pipes.
static void take_connection(int *in, int *out) {
    struct stat input;
    struct stat output;
    if (fstat(0, &input) < 0) {
        give_up("descriptor 0 must be the connection to the host");
    }
    bool is_one = S_ISSOCK(input.st_mode) || fstat(1, &output) < 0;
    *in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    *out = is_one ? *in : fcntl(1, F_DUPFD_CLOEXEC, 3);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (*in < 0 || *out < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0) {
        give_up("has no /dev/null, or no descriptors left");
    }
    close(null);
    if (fcntl(2, F_GETFD) < 0) {
        dup2(1, 2);
    }
    fcntl(*in, F_SETFL, O_NONBLOCK);
    fcntl(*out, F_SETFL, O_NONBLOCK);
}

int main(int argc, char **argv) {
    static const struct connection_events events = {channels_frame, channels_resume, on_lost};
    int in;
    int out;
    options_read(argc, argv);
    protect();
    take_connection(&in, &out);
    channels_start();
    memory_start();
    settings_start();
    if (!launcher_start() || !loop_start() || !jobs_start()) {
        give_up("cannot make its event loop");
    }
    if (options.use_stem && !stem_start()) {
        give_up("cannot put the workload into its control groups");
    }
    if (options.kernel_socket != NULL && !warm_start(options.kernel_socket)) {
        give_up("cannot listen for warm kernels");
    }
    if (options.lanes >= 0 && !lanes_start(options.lanes)) {
        give_up("cannot map the memory that it shares with the host");
    }
    if (!connection_start(in, out, &events)) {
        give_up("cannot wait for its connection");
    }
    loop_run(end_turn);
}
