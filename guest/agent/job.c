#include "job.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "options.h"
#include "stem.h"

enum { REAP_PER_TURN = 256 };

// Marks are far beyond any bound that somebody means, and no agent's are another's: whoever sees the processes of another
// agent, as in tests on a bare host, must not take them for its own. The half above is for who marks without an agent.
#define TAG_BASE (UINT64_C(1) << 61)
#define TAG_RANDOM_BITS 40
#define TAG_COUNT_BITS 20

static struct link jobs;
static size_t count;
static uint64_t last_tag;
static struct poller signals;
static struct task reaper;

static void on_signal(struct poller *poller, uint32_t ready);
static void on_death(struct poller *poller, uint32_t ready);
static void reap(struct task *task);

static bool choose_tags(void) {
    uint64_t random = 0;
    bool is_random = getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random;
    last_tag = TAG_BASE + ((random >> (64 - TAG_RANDOM_BITS)) << TAG_COUNT_BITS);
    return is_random;
}

bool jobs_start(void) {
    if (!choose_tags()) {
        return false;
    }
    link_init(&jobs);
    task_init(&reaper, reap);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    poller_init(&signals, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), on_signal);
    return signals.fd >= 0 && poller_want(&signals, EPOLLIN);
}

size_t jobs_count(void) {
    return count;
}

static void leave(struct job *job) {
    link_remove(&job->link);
    count--;
}

static void on_born(struct launch *launch) {
    struct job *job = CONTAINER(launch, struct job, launch);
    job->pid = launch->pid;
    if (job->is_doomed) {
        tree_kill(job->pid, job->tag, false);
    }
}

static void deliver_exit(struct job *job) {
    if (job->has_started && job->has_exited) {
        leave(job);
        job->exited(job);
    }
}

static void on_launched(struct launch *launch, enum launch_stage stage, int error) {
    struct job *job = CONTAINER(launch, struct job, launch);
    if (stage != STAGE_STARTED) {
        // Its process, if there is one, ends by itself and is reaped like any other.
        leave(job);
        job->failed(job, stage, error);
        return;
    }
    job->has_started = true;
    job->started_at = loop_now();
    memory_watch();
    job->started(job);
    deliver_exit(job);
}

bool job_begin(struct job *job, struct launch_plan *plan, const int fds[LAUNCH_FDS]) {
    poller_init(&job->death, -1, on_death);
    job->pid = 0;
    job->tag = ++last_tag;
    job->has_started = false;
    job->has_exited = false;
    job->is_doomed = false;
    job->is_memory_victim = false;
    job->oom_kills_before = oom_kills();
    job->asked_at = loop_now();
    job->launch.born = on_born;
    job->launch.done = on_launched;
    plan->tag = job->tag;
    link_init(&job->link);
    link_append(&jobs, &job->link);
    count++;
    if (!launcher_begin(&job->launch, plan, fds)) {
        int error = errno;
        leave(job);
        errno = error;
        return false;
    }
    return true;
}

static void on_death(struct poller *poller, uint32_t ready) {
    struct job *job = CONTAINER(poller, struct job, death);
    int status = 1 << 8;
    (void)ready;
    // Ours to reap if it was orphaned.
    job->is_strange = wait4(job->pid, &status, WNOHANG, &job->usage) != job->pid;
    poller_close(poller);
    if (!job->has_exited) {
        job->wait_status = status;
        job->has_exited = true;
        deliver_exit(job);
    }
}

bool job_adopt(struct job *job, pid_t pid) {
    poller_init(&job->death, (int)syscall(SYS_pidfd_open, pid, 0), on_death);
    if (job->death.fd < 0 || !poller_want(&job->death, EPOLLIN)) {
        poller_close(&job->death);
        return false;
    }
    link_init(&job->launch.link);
    job->pid = pid;
    // Whoever made it may have marked it, so that its daemons are found.
    struct rlimit mark;
    bool is_marked = prlimit(pid, RLIMIT_RTTIME, NULL, &mark) == 0 && mark.rlim_max >= TAG_BASE
        && mark.rlim_max != RLIM_INFINITY;
    job->tag = is_marked ? mark.rlim_max : 0;
    job->has_started = true;
    job->oom_kills_before = oom_kills();
    job->asked_at = job->started_at = loop_now();
    link_append(&jobs, &job->link);
    count++;
    memory_watch();
    return true;
}

void job_signal(struct job *job, int signal) {
    if (job->pid > 0 && !job->has_exited) {
        kill(-job->pid, signal);
    }
}

void job_kill(struct job *job) {
    launcher_look();
    job->is_doomed = true;
    if (job->pid > 0) {
        tree_kill(job->pid, job->tag, job->has_exited);
    }
}

uint64_t job_cpu(const struct job *job) {
    struct snapshot snapshot;
    uint64_t total = 0;
    if (job->pid > 0 && snapshot_take(&snapshot)) {
        snapshot_mark(&snapshot, job->pid, job->tag, job->has_exited);
        for (size_t i = 0; i < snapshot.count; i++) {
            total += snapshot.list[i].is_member ? snapshot.list[i].cpu_micros : 0;
        }
        snapshot_free(&snapshot);
    }
    return total;
}

uint64_t job_memory(const struct job *job) {
    struct snapshot snapshot;
    uint64_t total = 0;
    if (job->pid > 0 && snapshot_take(&snapshot)) {
        snapshot_mark(&snapshot, job->pid, job->tag, job->has_exited);
        for (size_t i = 0; i < snapshot.count; i++) {
            total += snapshot.list[i].is_member ? process_memory(snapshot.list[i].pid) : 0;
        }
        snapshot_free(&snapshot);
    }
    return total;
}

uint64_t oom_kills(void) {
    char text[1024];
    ssize_t length = options.oom < 0 ? -1 : pread(options.oom, text, sizeof text - 1, 0);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    const char *at = text;
    while ((at = strstr(at, "oom_kill ")) != NULL) {
        if (at == text || at[-1] == '\n') {
            return strtoull(at + 9, NULL, 10);
        }
        at++;
    }
    return 0;
}

bool job_was_out_of_memory(const struct job *job) {
    bool killed = (WIFSIGNALED(job->wait_status) && WTERMSIG(job->wait_status) == SIGKILL)
        || (WIFEXITED(job->wait_status) && WEXITSTATUS(job->wait_status) == 128 + SIGKILL);
    return killed && (job->is_memory_victim || oom_kills() > job->oom_kills_before);
}

void jobs_each(void (*visit)(struct job *, void *), void *context) {
    struct link *link = jobs.next;
    while (link != &jobs) {
        struct job *job = CONTAINER(link, struct job, link);
        link = link->next;
        if (job->pid > 0) {
            visit(job, context);
        }
    }
}

void jobs_kill_all(void) {
    if (getpid() == 1) {
        kill(-1, SIGKILL); // and the end of this process is the end of all in the namespace anyway
        return;
    }
    for (struct link *link = jobs.next; link != &jobs; link = link->next) {
        struct job *job = CONTAINER(link, struct job, link);
        job_kill(job);
    }
}

static struct job *find(pid_t pid) {
    for (struct link *link = jobs.next; link != &jobs; link = link->next) {
        struct job *job = CONTAINER(link, struct job, link);
        if (job->pid == pid && !job->has_exited) {
            return job;
        }
    }
    return NULL;
}

// Waits for what has died: jobs, the stem, and orphans, of which the first process of a sandbox is the parent.
static void reap(struct task *task) {
    stem_settle();
    for (int i = 0; i < REAP_PER_TURN; i++) {
        int status = 0;
        struct rusage usage;
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);
        if (pid <= 0) {
            return;
        }
        if (pid == stem_pid()) {
            stem_renew();
            launcher_stem_lost();
            continue;
        }
        struct job *job = find(pid);
        if (job == NULL) {
            launcher_look();
            job = find(pid);
        }
        if (job != NULL) {
            poller_close(&job->death);
            job->wait_status = status;
            job->usage = usage;
            job->has_exited = true;
            deliver_exit(job); // or when it is known that it had started
        }
    }
    task_schedule(task);
}

static void on_signal(struct poller *poller, uint32_t ready) {
    struct signalfd_siginfo info[16];
    (void)ready;
    while (read(poller->fd, info, sizeof info) > 0) {
    }
    reap(&reaper);
}

enum status launch_status(enum launch_stage stage, int error, const char **message) {
    if (stage == STAGE_DIRECTORY) {
        *message = error == ENOTDIR ? "the working directory is no directory"
            : error == EACCES       ? "the working directory is closed to this user"
                                    : "the working directory does not exist";
        return error == ENOTDIR ? STATUS_NOT_A_DIRECTORY : error == EACCES ? STATUS_PERMISSION : STATUS_NOT_FOUND;
    }
    if (stage == STAGE_PROGRAM) {
        switch (error) {
        case ENOENT:
        case ENOTDIR:
            *message = "the sandbox has no such program, or not the interpreter that it names";
            return STATUS_NOT_FOUND;
        case EACCES:
        case EPERM:
        case EISDIR:
            *message = "the program is not executable for this user";
            return STATUS_PERMISSION;
        case E2BIG:
            *message = "arguments and environment are longer than the kernel takes";
            return STATUS_INVALID;
        case ENOEXEC:
            *message = "the program is of no format that this machine can execute";
            return STATUS_INVALID;
        default:
            break;
        }
    }
    if (stage == STAGE_LOST) {
        *message = "the process was killed before its program began";
        return STATUS_FAILED;
    }
    switch (error) {
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        *message = "the sandbox has no room for another process: its bound of processes, memory or files is reached";
        return STATUS_TOO_MANY;
    default:
        *message = "the process could not be set up";
        return STATUS_FAILED;
    }
}
