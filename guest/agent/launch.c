#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"
#include "options.h"
#include "stem.h"

// The start of a block; the texts follow, each with its NUL: directory, arguments, environment.
struct launch_head {
    uint64_t tag;
    uint32_t argument_count;
    uint32_t environment_count;
    uint32_t group_count;
    uint32_t uid;
    uint32_t gid;
    uint32_t groups[USER_GROUPS_MAX];
    uint8_t directory_is_guess;
    uint8_t has_terminal;
};

bool launch_encode(const struct launch_plan *plan, struct bytes *block) {
    struct launch_head head;
    memset(&head, 0, sizeof head);
    head.tag = plan->tag;
    head.argument_count = (uint32_t)plan->argument_count;
    head.environment_count = (uint32_t)plan->environment_count;
    head.group_count = (uint32_t)plan->user->group_count;
    head.uid = plan->user->uid;
    head.gid = plan->user->gid;
    memcpy(head.groups, plan->user->groups, plan->user->group_count * sizeof head.groups[0]);
    head.directory_is_guess = plan->directory_is_guess;
    head.has_terminal = plan->has_terminal;
    bytes_add(block, &head, sizeof head);
    bytes_add(block, plan->directory, strlen(plan->directory) + 1);
    for (size_t i = 0; i < plan->argument_count; i++) {
        bytes_add(block, plan->arguments[i], strlen(plan->arguments[i]) + 1);
    }
    for (size_t i = 0; i < plan->environment_count; i++) {
        bytes_add(block, plan->environment[i], strlen(plan->environment[i]) + 1);
    }
    return !block->failed;
}

// The child's side of a launch. It has the memory of its parent, which waits: what it allocates would be lost there.
struct child {
    const struct launch_head *head;
    const char *directory;
    char **arguments;
    char **environment;
    // For a script, whose name comes behind that of the shell: room for both.
    char **shell;
    const int *fds;
    struct launch_fate *fate;
};

static bool has_inherited;

static void __attribute__((noreturn)) fail(const struct child *child, enum launch_stage stage) {
    child->fate->error = errno;
    child->fate->stage = stage;
    _exit(127);
}

// What is ignored stays so when a program begins; what is handled does not. This process ignores this signal and no
// other: it saw to that at its start, because here each question is a call into a kernel that may be a slow one.
static void reset_signals(void) {
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Puts the descriptors to 0, 1, 2 and 3 and closes all others.
static void place_descriptors(const struct child *child) {
    int from[LAUNCH_FDS];
    int count = child->fds[LAUNCH_EXTRA] >= 0 ? LAUNCH_FDS : LAUNCH_EXTRA;
    for (int i = 0; i < count; i++) {
        // Out of the way of 0 to 3.
        from[i] = child->fds[i] >= LAUNCH_FDS ? child->fds[i] : fcntl(child->fds[i], F_DUPFD_CLOEXEC, LAUNCH_FDS);
        if (from[i] < 0) {
            fail(child, STAGE_SETUP);
        }
    }
    for (int i = 0; i < count; i++) {
        if (dup2(from[i], i) < 0) {
            fail(child, STAGE_SETUP);
        }
    }
    if (syscall(SYS_close_range, (unsigned)count, ~0U, 0) < 0) {
        long most = sysconf(_SC_OPEN_MAX);
        for (int fd = count; fd < most && fd < 65536; fd++) {
            close(fd);
        }
    }
}

static int open_oom_score(void) {
    return open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
}

// The workload dies before the agent when memory is short.
static void offer_to_oom(void) {
    int fd = open_oom_score();
    if (fd < 0) {
        // Files in /proc belong to nobody while a process is not dumpable; what this process holds is no secret.
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        fd = open_oom_score();
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
    if (fd >= 0) {
        ssize_t ignored = write(fd, "1000", 4);
        (void)ignored;
        close(fd);
    }
}

void launch_inherit(void) {
    reset_signals();
    offer_to_oom();
    // A program that must not run does not begin to: the first child then fails, and says so.
    has_inherited = confine_limits();
    if (has_inherited && !options.keep_privileges) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        confine_bounding();
        // Last, because it may forbid what the others need. It allows what a child does before its program begins,
        // else no child could load it as its last step.
        has_inherited = confine_calls();
    }
}

static void become(const struct child *child) {
    const struct launch_head *head = child->head;
    confine_mark(head->tag);
    if (!options.keep_privileges) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        confine_files();
    }
    if (!has_inherited) {
        if (!confine_limits()) {
            fail(child, STAGE_SETUP);
        }
        if (!options.keep_privileges) {
            confine_bounding();
        }
    }
    // Behind Landlock's, of which this closes the ruleset.
    place_descriptors(child);
    if (head->has_terminal) {
        ioctl(0, TIOCSCTTY, 0);
    }
    if (!confine_identity(head->uid, head->gid, head->groups, head->group_count)) {
        fail(child, STAGE_SETUP);
    }
    if (!options.keep_privileges && !confine_privileges()) {
        fail(child, STAGE_SETUP);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

// A script without a first line that names its interpreter is one for the shell, as execvp has it.
static void execute_script(const struct child *child, const char *path) {
    child->shell[0] = (char *)(uintptr_t)"sh";
    child->shell[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i <= child->head->argument_count; i++) {
        child->shell[i + 1] = child->arguments[i];
    }
    execve("/bin/sh", child->shell, child->environment);
}

static void try_path(const struct child *child, const char *path) {
    execve(path, child->arguments, child->environment);
    if (errno == ENOEXEC) {
        execute_script(child, path);
    }
}

static const char *search_path(char **environment) {
    for (char **entry = environment; *entry != NULL; entry++) {
        if (strncmp(*entry, "PATH=", 5) == 0) {
            return *entry + 5;
        }
    }
    return "/usr/bin:/bin";
}

static void search(const struct child *child) {
    const char *name = child->arguments[0];
    if (strchr(name, '/') != NULL || name[0] == '\0') {
        if (name[0] == '\0') {
            errno = ENOENT;
            return;
        }
        try_path(child, name);
        return;
    }
    int error = ENOENT;
    for (const char *at = search_path(child->environment);; at++) {
        size_t length = strcspn(at, ":");
        char path[PATH_MAX];
        int written = snprintf(path, sizeof path, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "", name);
        if (length < PATH_MAX && written > 0 && written < PATH_MAX) {
            // To ask is cheaper than to try: most of the path's directories have no such program.
            if (access(path, F_OK) == 0) {
                try_path(child, path);
            }
            if (errno == EACCES) {
                error = EACCES; // there is one, but not for this user: another directory may have a better one
            } else if (errno != ENOENT && errno != ENOTDIR) {
                return;
            }
        }
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    errno = error;
}

// Points into the block; NULL at the end, as exec wants it.
static char **texts(uint8_t **at, const uint8_t *end, size_t count) {
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] = (char *)*at;
        uint8_t *nul = memchr(*at, 0, (size_t)(end - *at));
        if (nul == NULL) {
            free(list);
            return NULL;
        }
        *at = nul + 1;
    }
    return list;
}

static int child_main(void *argument) {
    const struct child *child = argument;
    const struct launch_head *head = child->head;
    setsid();
    if (!has_inherited) {
        reset_signals();
        offer_to_oom();
    }
    become(child);
    if (chdir(child->directory) < 0 && !(head->directory_is_guess && chdir("/") == 0)) {
        fail(child, STAGE_DIRECTORY);
    }
    if ((!has_inherited || options.keep_privileges) && !confine_calls()) {
        fail(child, STAGE_SETUP);
    }
    search(child);
    fail(child, STAGE_PROGRAM);
}

// A child that borrows our memory is made several times as fast as one that copies it, and in gVisor saves a whole
// address space. The sanitizers do not understand it.
#ifdef __SANITIZE_ADDRESS__
enum { SHARED = 0 };
#else
enum { SHARED = CLONE_VM };
#endif
enum { STACK_BYTES = 256 * 1024 };

pid_t launch_spawn(uint8_t *block, size_t length, const int fds[LAUNCH_FDS], bool is_siblings,
                   struct launch_fate *fate) {
    static uint8_t stack[STACK_BYTES] __attribute__((aligned(64)));
    struct launch_head head;
    uint8_t *at = block + sizeof head;
    const uint8_t *end = block + length;
    memcpy(&head, block, sizeof head);
    struct child child = {.head = &head, .directory = (char *)at, .fds = fds, .fate = fate};
    at += strlen(child.directory) + 1;
    child.arguments = texts(&at, end, head.argument_count);
    child.environment = texts(&at, end, head.environment_count);
    child.shell = calloc(head.argument_count + 2, sizeof *child.shell);
    pid_t pid = -1;
    if (child.arguments == NULL || child.environment == NULL || child.shell == NULL) {
        errno = ENOMEM;
    } else {
        if (!options.keep_privileges) {
            confine_prepare();
        }
        int flags = SHARED | CLONE_VFORK | CLONE_PARENT_SETTID | SIGCHLD | (is_siblings ? CLONE_PARENT : 0);
        pid = clone(child_main, stack + sizeof stack, flags, &child, &fate->pid);
    }
    int error = errno;
    free(child.arguments);
    free(child.environment);
    free(child.shell);
    errno = error;
    return pid;
}
