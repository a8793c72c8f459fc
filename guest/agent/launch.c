#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static void __attribute__((noreturn)) fail(int status, enum launch_stage stage) {
    struct launch_failure failure = {stage, errno};
    ssize_t ignored = write(status, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static void reset_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &standard, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Puts the descriptors to 0, 1, 2 and 3 and closes all others. Returns the new number of the status descriptor.
static int place_descriptors(const int fds[LAUNCH_FDS]) {
    int moved[LAUNCH_FDS];
    for (int i = 0; i < LAUNCH_FDS; i++) {
        moved[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 16); // out of the way of 0 to 4
        if (fds[i] >= 0 && moved[i] < 0) {
            fail(fds[LAUNCH_STATUS], STAGE_SETUP);
        }
    }
    int last = moved[LAUNCH_EXTRA] >= 0 ? 3 : 2;
    for (int i = 0; i <= last; i++) {
        if (dup2(moved[LAUNCH_STDIN + i], i) < 0) {
            fail(moved[LAUNCH_STATUS], STAGE_SETUP);
        }
    }
    int status = dup3(moved[LAUNCH_STATUS], last + 1, O_CLOEXEC);
    if (status < 0) {
        fail(moved[LAUNCH_STATUS], STAGE_SETUP);
    }
    if (syscall(SYS_close_range, (unsigned)status + 1, ~0U, 0) < 0) {
        long most = sysconf(_SC_OPEN_MAX);
        for (int fd = status + 1; fd < most && fd < 65536; fd++) {
            close(fd);
        }
    }
    return status;
}

// The workload dies before the agent when memory is short.
static void offer_to_oom(void) {
    // Files in /proc belong to nobody while a process is not dumpable; what this process holds is no secret.
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t ignored = write(fd, "1000", 4);
        (void)ignored;
        close(fd);
    }
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static void become(const struct launch_head *head, int status) {
    if (!confine_limits(head->tag)) {
        fail(status, STAGE_SETUP);
    }
    if (!options.keep_privileges) {
        // Landlock's rules need to see the root directory, so they are made before the identity changes.
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        confine_files();
        confine_bounding();
    }
    if (!confine_identity(head->uid, head->gid, head->groups, head->group_count)) {
        fail(status, STAGE_SETUP);
    }
    if (!options.keep_privileges && !confine_privileges()) {
        fail(status, STAGE_SETUP);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}


// A script without a first line that names its interpreter is one for the shell, as execvp has it.
static void execute_script(const char *path, char **arguments, size_t count, char **environment) {
    char **shell = calloc(count + 2, sizeof *shell);
    if (shell == NULL) {
        return;
    }
    shell[0] = (char[]){"sh"};
    shell[1] = strdup(path);
    for (size_t i = 1; i < count; i++) {
        shell[i + 1] = arguments[i];
    }
    execve("/bin/sh", shell, environment);
    free(shell);
}

static void try_path(const char *path, char **arguments, size_t count, char **environment) {
    execve(path, arguments, environment);
    if (errno == ENOEXEC) {
        execute_script(path, arguments, count, environment);
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

static void search(char **arguments, size_t count, char **environment) {
    const char *name = arguments[0];
    if (strchr(name, '/') != NULL || name[0] == '\0') {
        if (name[0] == '\0') {
            errno = ENOENT;
            return;
        }
        try_path(name, arguments, count, environment);
        return;
    }
    int error = ENOENT;
    for (const char *at = search_path(environment);; at++) {
        size_t length = strcspn(at, ":");
        char path[PATH_MAX];
        int written = snprintf(path, sizeof path, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "", name);
        if (length < PATH_MAX && written > 0 && written < PATH_MAX) {
            try_path(path, arguments, count, environment);
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
            return NULL;
        }
        *at = nul + 1;
    }
    return list;
}

void launch_child(uint8_t *block, size_t length, const int fds[LAUNCH_FDS], int stem, uint32_t id) {
    if (stem >= 0) {
        struct stem_report report = {id, getpid()};
        send(stem, &report, sizeof report, MSG_NOSIGNAL);
    }
    reset_signals();
    setsid();
    int status = place_descriptors(fds);
    struct launch_head head;
    uint8_t *at = block + sizeof head;
    const uint8_t *end = block + length;
    memcpy(&head, block, sizeof head);
    char *directory = (char *)at;
    at += strlen(directory) + 1;
    char **arguments = texts(&at, end, head.argument_count);
    char **environment = texts(&at, end, head.environment_count);
    if (arguments == NULL || environment == NULL) {
        errno = ENOMEM;
        fail(status, STAGE_SETUP);
    }
    offer_to_oom();
    if (head.has_terminal) {
        ioctl(0, TIOCSCTTY, 0);
    }
    umask(022);
    become(&head, status);
    if (chdir(directory) < 0 && !(head.directory_is_guess && chdir("/") == 0)) {
        fail(status, STAGE_DIRECTORY);
    }
    if (!confine_calls()) {
        fail(status, STAGE_SETUP);
    }
    search(arguments, head.argument_count, environment);
    fail(status, STAGE_PROGRAM);
}
