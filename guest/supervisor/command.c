#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges.h"
#include "proc_files.h"
#include "roots.h"
#include "sys.h"

/* Where a command that starts an agent finds the lanes. */
enum { LANES_FILENO = 3 };

static void put(const plan *p, int from, int to) {
    if ((from == to ? fcntl(to, F_SETFD, 0) : dup2(from, to)) < 0) {
        plan_fail(p, "the command's streams cannot be put in place");
    }
}

static void join_groups(const plan *p) {
    for (int i = 0; i < p->join_count; i++) {
        if (write(p->joins[i], "0", 1) != 1) {
            plan_fail(p, "the control group cannot be joined");
        }
    }
}

/* The command's streams: for a guest's agent the socket, in both directions; for a cell its input, and nothing back. */
static void take_streams(const plan *p) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) {
        plan_fail(p, "/dev/null cannot be opened");
    }
    put(p, p->stream, STDIN_FILENO);
    /* Not the socket once more: gVisor holds each of the three as a file of its own, and when the agent closes one of
     * two for the same socket it shuts the socket down. */
    put(p, null, STDOUT_FILENO);
    put(p, p->log, STDERR_FILENO);
    if (p->lanes >= 0) {
        put(p, p->lanes, LANES_FILENO);
    }
}

static void __attribute__((noreturn)) run(const plan *p) {
    take_streams(p);
    if (p->spec->root == ROOT_BINDS) {
        privileges_drop_all(p);
        plan_die_with_supervisor(p);
    }
    execve(p->spec->arguments[0], (char *const *)(uintptr_t)p->spec->arguments,
           (char *const *)(uintptr_t)p->spec->environment);
    plan_fail(p, "the command cannot be started");
}

/* Reaps whatever is left to it, and ends as the command does: the namespace, and all in it, ends with it. */
static void __attribute__((noreturn)) be_init(pid_t command) {
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid == command) {
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        }
        if (pid < 0 && errno == ECHILD) {
            _exit(1);
        }
    }
}

void command_become(const plan *p) {
    proc_files_pin(p->spec, p->slot);
    if (p->spec->root == ROOT_BINDS) {
        roots_enter_binds(p);
    } else {
        roots_prepare_bundle(p);
    }
    join_groups(p);
    privileges_limit(p);
    if (p->spec->root == ROOT_BINDS) {
        /* A cell starts no processes, so it needs nobody to reap them: it is the first process itself. The kernel
         * ends it before anything else when memory runs out. */
        if (write_text("/proc/self/oom_score_adj", "1000") != 0) {
            plan_fail(p, "the cell cannot be made the first to be ended");
        }
        privileges_enter_users(p);
        run(p);
    }
    pid_t pid = fork();
    if (pid < 0) {
        plan_fail(p, "the command's process cannot be made");
    }
    if (pid == 0) {
        run(p);
    }
    /* The supervisor's descriptors came along. */
    if (close_range(0, ~0U, 0) != 0) {
        _exit(125);
    }
    be_init(pid);
}
