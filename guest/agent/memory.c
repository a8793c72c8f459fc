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

// A guest that touches new memory as fast as it can gets 20 MB further.
enum { LOOK_MILLIS = 10 };

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
    char text[4096];
    int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) {
        close(fd);
    }
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

static void look(struct timer *of) {
    uint64_t bound = limit();
    struct snapshot snapshot;
    if (bound == UINT64_MAX) {
        return;
    }
    timer_set(of, loop_now() + LOOK_MILLIS * MILLISECOND);
    if (!snapshot_take(&snapshot)) {
        return;
    }
    if (snapshot.count == 0 && jobs_count() == 0) {
        timer_stop(of);
    }
    // A kernel of the sandbox's own says exactly how much is held; the sum over processes counts shared pages twice.
    uint64_t held = options.keep_privileges ? memory_anonymous() : 0;
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
        struct search search = {&snapshot, victim};
        jobs_each(blame, &search);
        kill(victim, SIGKILL); // also if it is of no job any more
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
