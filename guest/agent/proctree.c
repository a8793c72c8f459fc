#include "proctree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"
#include "stem.h"

enum {
    // A fork bomb must be outrun without a pause; anything that lasts longer than this waits for a turn of the loop.
    KILL_ROUNDS = 10,
    KILL_MICROS_MAX = 25 * MILLISECOND,
    SWEEP_MICROS = 2 * MILLISECOND,
    SWEEPS_MAX = 1000,
    PROCESSES_MAX = 1 << 18,
};

struct sweep {
    struct timer timer;
    pid_t leader;
    uint64_t tag;
    bool leader_is_gone;
    int rounds;
};

static ssize_t read_file(pid_t pid, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    ssize_t count = read(fd, text, size - 1);
    close(fd);
    text[count < 0 ? 0 : count] = '\0';
    return count;
}

static uint64_t ticks_to_micros(unsigned long long ticks) {
    static long per_second;
    if (per_second == 0) {
        per_second = sysconf(_SC_CLK_TCK) > 0 ? sysconf(_SC_CLK_TCK) : 100;
    }
    return ticks * 1000000 / (unsigned long long)per_second;
}

static bool read_stat(pid_t pid, struct process_info *info) {
    char text[1024];
    if (read_file(pid, "stat", text, sizeof text) <= 0) {
        return false;
    }
    // A process may call itself anything, brackets and spaces included: the last bracket is the kernel's.
    const char *at = strrchr(text, ')');
    unsigned long long user = 0;
    unsigned long long system = 0;
    long long children_user = 0;
    long long children_system = 0;
    unsigned long long began = 0;
    if (at == NULL
        || sscanf(at + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %*d %*d %llu",
                  &info->state, &info->parent, &info->session, &user, &system, &children_user, &children_system,
                  &began)
            < 7) {
        return false;
    }
    info->pid = pid;
    info->began = began;
    info->children_micros = ticks_to_micros((unsigned long long)(children_user > 0 ? children_user : 0)
                                            + (unsigned long long)(children_system > 0 ? children_system : 0));
    info->cpu_micros = ticks_to_micros(user + system) + info->children_micros;
    return true;
}

static uint64_t read_tag(pid_t pid) {
    struct rlimit mark;
    if (prlimit(pid, RLIMIT_RTTIME, NULL, &mark) == 0) {
        return mark.rlim_max;
    }
    char text[4096];
    const char *line = errno == EPERM && read_file(pid, "limits", text, sizeof text) > 0
        ? strstr(text, "Max realtime timeout")
        : NULL;
    unsigned long long soft = 0;
    unsigned long long hard = 0;
    return line != NULL && sscanf(line, "Max realtime timeout %llu %llu", &soft, &hard) == 2 ? hard : 0;
}

bool snapshot_take(struct snapshot *snapshot) {
    size_t capacity = 256;
    *snapshot = (struct snapshot){malloc(capacity * sizeof *snapshot->list), 0};
    DIR *proc = opendir("/proc");
    pid_t self = getpid();
    const struct dirent *entry;
    while (proc != NULL && snapshot->list != NULL && (entry = readdir(proc)) != NULL) {
        int pid = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? atoi(entry->d_name) : 0;
        if (pid <= 0 || pid == self || pid == stem_pid() || snapshot->count == PROCESSES_MAX) {
            continue;
        }
        if (snapshot->count == capacity) {
            struct process_info *list = realloc(snapshot->list, 2 * capacity * sizeof *list);
            if (list == NULL) {
                break; // those that we know are better than none
            }
            snapshot->list = list;
            capacity *= 2;
        }
        struct process_info *info = &snapshot->list[snapshot->count];
        memset(info, 0, sizeof *info);
        if (read_stat(pid, info)) {
            info->tag = read_tag(pid);
            snapshot->count++;
        }
    }
    bool ok = proc != NULL && snapshot->list != NULL;
    if (proc != NULL) {
        closedir(proc);
    }
    if (!ok) {
        snapshot_free(snapshot);
    }
    return ok;
}

void snapshot_free(struct snapshot *snapshot) {
    free(snapshot->list);
    *snapshot = (struct snapshot){0};
}

static int by_pid(const void *left, const void *right) {
    const struct process_info *a = left;
    const struct process_info *b = right;
    return (a->pid > b->pid) - (a->pid < b->pid);
}

void snapshot_mark(struct snapshot *snapshot, pid_t leader, uint64_t tag, bool leader_is_gone) {
    for (size_t i = 0; leader_is_gone && i < snapshot->count; i++) {
        if (snapshot->list[i].pid == leader) {
            leader = -1;
        }
    }
    for (size_t i = 0; i < snapshot->count; i++) {
        struct process_info *info = &snapshot->list[i];
        info->is_member = info->pid == leader || info->session == leader || (tag != 0 && info->tag == tag);
    }
    qsort(snapshot->list, snapshot->count, sizeof *snapshot->list, by_pid);
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < snapshot->count; i++) {
            struct process_info *info = &snapshot->list[i];
            if (info->is_member) {
                continue;
            }
            struct process_info key = {.pid = info->parent};
            const struct process_info *parent =
                bsearch(&key, snapshot->list, snapshot->count, sizeof *snapshot->list, by_pid);
            if (parent != NULL && parent->is_member) {
                info->is_member = true;
                changed = true;
            }
        }
    }
}

uint64_t process_memory(pid_t pid) {
    char text[256];
    unsigned long long resident = 0;
    unsigned long long shared = 0;
    if (read_file(pid, "statm", text, sizeof text) <= 0
        || sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || shared > resident) {
        return 0;
    }
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t process_memory_peak(pid_t pid) {
    char text[4096];
    unsigned long long kilobytes = 0;
    if (read_file(pid, "status", text, sizeof text) <= 0) {
        return 0;
    }
    // gVisor's kernel knows no peak.
    const char *line = strstr(text, "\nVmHWM:");
    line = line != NULL ? line : strstr(text, "\nVmRSS:");
    return line != NULL && sscanf(line + 7, "%llu", &kilobytes) == 1 ? kilobytes * 1024 : 0;
}

// By the process's own clock, where another process may read it: the ticks in /proc are 10 ms long.
uint64_t process_cpu(pid_t pid) {
    struct process_info info = {0};
    struct timespec used;
    bool is_known = read_stat(pid, &info);
    clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2U);
    if (is_known && clock_gettime(clock, &used) == 0) {
        return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000 + info.children_micros;
    }
    return info.cpu_micros;
}

int64_t processors(void) {
    static int64_t count;
    cpu_set_t set;
    if (count == 0) {
        count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    }
    return count;
}

// Kills what there is, and says whether there was anything.
static bool kill_once(pid_t leader, uint64_t tag, bool leader_is_gone) {
    struct snapshot snapshot;
    if (!snapshot_take(&snapshot)) {
        if (!leader_is_gone) {
            kill(-leader, SIGKILL); // better than nothing; the sweep tries again
        }
        return true;
    }
    snapshot_mark(&snapshot, leader, tag, leader_is_gone);
    bool found = false;
    for (size_t i = 0; i < snapshot.count; i++) {
        const struct process_info *info = &snapshot.list[i];
        if (info->is_member && info->state != 'Z' && info->state != 'X') {
            kill(info->pid, SIGKILL);
            found = true;
        }
    }
    snapshot_free(&snapshot);
    return found;
}

static bool kill_rounds(pid_t leader, uint64_t tag, bool leader_is_gone) {
    int64_t end = loop_now() + KILL_MICROS_MAX;
    for (int round = 0; round < KILL_ROUNDS && loop_now() < end; round++) {
        if (!kill_once(leader, tag, leader_is_gone)) {
            return true;
        }
    }
    return false;
}

static void on_sweep(struct timer *timer) {
    struct sweep *sweep = CONTAINER(timer, struct sweep, timer);
    if (kill_rounds(sweep->leader, sweep->tag, sweep->leader_is_gone) || ++sweep->rounds == SWEEPS_MAX) {
        free(sweep);
        return;
    }
    timer_set(timer, loop_now() + SWEEP_MICROS);
}

void tree_kill(pid_t leader, uint64_t tag, bool leader_is_gone) {
    if (kill_rounds(leader, tag, leader_is_gone)) {
        return;
    }
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep != NULL) {
        sweep->leader = leader;
        sweep->tag = tag;
        sweep->leader_is_gone = leader_is_gone;
        timer_init(&sweep->timer, on_sweep);
        timer_set(&sweep->timer, loop_now() + SWEEP_MICROS);
    }
}
