// A job: one process that the agent started, and all that descends from it.
#ifndef GLOVEBOX_JOB_H
#define GLOVEBOX_JOB_H

#include <sys/resource.h>

#include "launcher.h"
#include "protocol.h"
#include "proctree.h"

struct job {
    struct link link;
    struct launch launch;
    // Of a process that was adopted: becomes ready when it is dead.
    struct poller death;
    pid_t pid;
    uint64_t tag;
    bool has_started;
    bool has_exited;
    bool is_doomed;
    // It was somebody else's child, so how it ended is not known.
    bool is_strange;
    // It was killed because the memory of all of the workload was over its bound.
    bool is_memory_victim;
    int wait_status;
    struct rusage usage;
    uint64_t oom_kills_before;
    int64_t asked_at;
    int64_t started_at;
    // Exactly one of these two comes. The descriptors for the program are the launcher's already.
    void (*started)(struct job *job);
    void (*failed)(struct job *job, enum launch_stage stage, int error);
    // The process is gone. After `started`, once.
    void (*exited)(struct job *job);
};

enum { JOBS_MAX = 320 };

bool jobs_start(void);
// Begins a job; false, with errno, if it cannot even be tried. `plan->tag` is set here.
bool job_begin(struct job *job, struct launch_plan *plan, const int fds[LAUNCH_FDS]);
// Takes over a process that somebody else started. If it is not this one's child, and does not become it as an orphan,
// its end is known, but not how it came. False if it is gone.
bool job_adopt(struct job *job, pid_t pid);
// To the process group of the leader, as long as there is a leader.
void job_signal(struct job *job, int signal);
// Kills all of it, also what the leader left behind.
void job_kill(struct job *job);
// Processor time of all of it, microseconds.
uint64_t job_cpu(const struct job *job);
// Memory that all of it holds now.
uint64_t job_memory(const struct job *job);
// Whether the end of the leader was the kernel's, or our own, answer to too much memory.
bool job_was_out_of_memory(const struct job *job);
size_t jobs_count(void);
// Calls for each job that has a process.
void jobs_each(void (*visit)(struct job *job, void *context), void *context);
void jobs_kill_all(void);
// Reads the `oom_kill` count of the workload's cgroup; 0 where there is none.
uint64_t oom_kills(void);
// What a failed start means to the host.
enum status launch_status(enum launch_stage stage, int error, const char **message);

#endif
