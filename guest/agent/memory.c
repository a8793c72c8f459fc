#include "memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "loop.h"
#include "options.h"
#include "settings.h"

enum {
    // What a guest that touches new memory as fast as it can gets in a millisecond (measured: 2 MB), twice.
    GUEST_BYTES_PER_MILLI = 4 * 1024 * 1024,
    // So it gets 20 MB too far.
    LOOK_MILLIS = 10,
    // While there is more room than anybody can fill meanwhile.
    LOOK_MILLIS_MAX = 200,
};

static struct timer timer;

// A cgroup does not need us; without one the bound is the option's or CONFIGURE's. Only the first process of a sandbox
// may take all processes that it sees for the workload.
static uint64_t limit(void) {
    if (options.oom >= 0 || options.memory_limit == 0 || getpid() != 1) {
        return UINT64_MAX;
    }
    return settings.limits.memory_bytes < options.memory_limit ? settings.limits.memory_bytes : options.memory_limit;
}

// AnonPages of /proc/meminfo in bytes; 0 if it says nothing. Only asked where the kernel is the
// sandbox's own, which is where privileges are kept.
static uint64_t memory_anonymous(void) {
    static const char name[] = "AnonPages:";
    static int fd = -1;
    char text[4096];
    if (fd < 0) {
        fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    }
    ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, name);
    return line == NULL ? 0 : strtoull(line + sizeof name - 1, NULL, 10) * 1024;
}

struct search {
    struct snapshot *snapshot;
    pid_t pid;
};

static void blame(struct job *job, void *context) {
    const struct search *search = context;
    snapshot_mark(search->snapshot, job->pid, job->tag, job->has_exited);
    for (size_t i = 0; i < search->snapshot->count; i++) {
        if (search->snapshot->list[i].is_member && search->snapshot->list[i].pid == search->pid) {
            job->is_memory_victim = true;
            job_kill(job);
        }
    }
}

// When to look again: before anybody can have come to the bound.
static int64_t pause_of(uint64_t held, uint64_t bound) {
    uint64_t room = held < bound ? bound - held : 0;
    int64_t millis = (int64_t)(room / GUEST_BYTES_PER_MILLI) / processors();
    return (millis < LOOK_MILLIS ? LOOK_MILLIS : millis > LOOK_MILLIS_MAX ? LOOK_MILLIS_MAX : millis) * MILLISECOND;
}

static void kill_largest(struct snapshot *snapshot, pid_t victim) {
    struct search search = {snapshot, victim};
    jobs_each(blame, &search);
    kill(victim, SIGKILL); // also if it is of no job any more
}

static void look(struct timer *of) {
    uint64_t bound = limit();
    struct snapshot snapshot;
    if (bound == UINT64_MAX) {
        return;
    }
    // A kernel of the sandbox's own says exactly how much is held, and at once; the sum over processes counts shared
    // pages twice.
    uint64_t held = options.keep_privileges ? memory_anonymous() : 0;
    bool has_room = held > 0 && held <= bound;
    timer_set(of, loop_now() + (has_room ? pause_of(held, bound) : LOOK_MILLIS * MILLISECOND));
    if (has_room && jobs_count() > 0) {
        return;
    }
    if (!snapshot_take(&snapshot)) {
        return;
    }
    if (snapshot.count == 0 && jobs_count() == 0) {
        timer_stop(of);
    }
    uint64_t total = 0;
    uint64_t largest = 0;
    pid_t victim = 0;
    for (size_t i = 0; i < snapshot.count; i++) {
        uint64_t memory = process_memory(snapshot.list[i].pid);
        total += memory;
        if (memory > largest) {
            largest = memory;
            victim = snapshot.list[i].pid;
        }
    }
    if ((held > 0 ? held : total) > bound && victim > 0) {
        kill_largest(&snapshot, victim);
    }
    snapshot_free(&snapshot);
}

void memory_start(void) {
    timer_init(&timer, look);
}

void memory_watch(void) {
    if (limit() != UINT64_MAX && !timer_is_set(&timer)) {
        timer_set(&timer, loop_now() + LOOK_MILLIS * MILLISECOND);
    }
}
