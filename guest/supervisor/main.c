/* The supervisor starts every Linux sandbox of a server and takes all of them with it when it ends.
 *
 *     glovebox-supervisor --directory DIR --agent PATH --instance NAME
 *
 * Requests are lines on standard input, answers and events lines on standard output (docs/supervisor.md). The end of
 * standard input is the end of the server: everything is killed, at once. One thread, for a child dies with the thread
 * that made it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "dynmods.h"
#include "request.h"
#include "sandbox.h"
#include "say.h"
#include "sys.h"
#include "template.h"

enum { PATH_BYTES = 512, EVENTS_MAX = 64, END_MILLIS_MAX = 5000, EXIT_USAGE = 64, EXIT_UNABLE = 69 };

static int unable(const char *why) {
    say("UNABLE\t-\t%s", why);
    return EXIT_UNABLE;
}

static int watch(int epoll, int fd, void *data) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    signal(SIGPIPE, SIG_IGN);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* False when told to end. */
static bool read_signals(int fd) {
    struct signalfd_siginfo info;
    bool go_on = true;
    while (read(fd, &info, sizeof info) == sizeof info) {
        /* An interrupt of the terminal is the server's to understand: it closes our standard input. */
        go_on &= info.ssi_signo != SIGTERM;
    }
    sandbox_reap();
    return go_on;
}

static void raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int serve(int epoll, int signals, const char *without_network) {
    struct epoll_event events[EVENTS_MAX];
    int wait = -1;
    static int input_mark;
    static int signal_mark;
    if (watch(epoll, STDIN_FILENO, &input_mark) != 0 || watch(epoll, signals, &signal_mark) != 0) {
        return unable("epoll does not work here");
    }
    say("READY\t-\t%d\t%s", (int)getpid(), without_network == NULL ? "" : without_network);
    for (bool open = true; open;) {
        int count = epoll_wait(epoll, events, EVENTS_MAX, wait);
        /* Reports first: after a signal was read their sandboxes may be forgotten. */
        for (int i = 0; i < count; i++) {
            void *data = events[i].data.ptr;
            if (data != &input_mark && data != &signal_mark) {
                sandbox_read(data);
            }
        }
        for (int i = 0; i < count; i++) {
            void *data = events[i].data.ptr;
            if (data == &input_mark) {
                open &= request_read();
            } else if (data == &signal_mark) {
                open &= read_signals(signals);
            }
        }
        wait = sandbox_tidy();
    }
    return 0;
}

static void end_all(void) {
    sandbox_kill_all();
    for (int waited = 0; sandbox_count() > 0 && waited < END_MILLIS_MAX; waited++) {
        sandbox_reap();
        (void)sandbox_tidy();
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
}

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"directory", required_argument, NULL, 'd'},
        {"agent", required_argument, NULL, 'a'},
        {"instance", required_argument, NULL, 'i'},
        {NULL, 0, NULL, 0},
    };
    sandbox_options options = {0};
    const char *directory = NULL;
    const char *instance = NULL;
    for (int option; (option = getopt_long(count, arguments, "", known, NULL)) != -1;) {
        switch (option) {
        case 'd': directory = optarg; break;
        case 'a': options.agent = optarg; break;
        case 'i': instance = optarg; break;
        default: return EXIT_USAGE;
        }
    }
    if (directory == NULL || options.agent == NULL || instance == NULL) {
        note("glovebox-supervisor: --directory, --agent and --instance are needed");
        return EXIT_USAGE;
    }
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int signals = open_signals();
    raise_file_limit();
    if (epoll < 0 || signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        return unable("epoll, signalfd or the subreaper do not work here");
    }
    if (template_init(directory) != 0) {
        return unable("a private mount namespace cannot be made: the server needs to be root");
    }
    const char *without_network = NULL;
    const char *trouble = cgroup_init(instance);
    if (trouble == NULL) {
        trouble = sandbox_init(&options, epoll, &without_network);
    }
    if (trouble != NULL) {
        return unable(trouble);
    }
    char scratch[PATH_BYTES];
    if (format(scratch, sizeof scratch, "%s/scratch", template_mounts())) {
        dynmods_favor(scratch);
    }
    int status = serve(epoll, signals, without_network);
    end_all();
    if (cgroup_end()) {
        dynmods_restore();
    }
    return status;
}
