// Which processes belong to a job. A guest can leave its process group, its session and its parent behind, so each
// job has a mark that a process passes on to its children and cannot shed: the hard limit RLIMIT_RTTIME, a number of
// years that binds nobody. Who has the mark of a job, or sits in its session, or descends from one that does, belongs
// to it. A process that lowers its mark is found by the other two; where marks do not exist (gVisor), only they count.
#ifndef GLOVEBOX_PROCTREE_H
#define GLOVEBOX_PROCTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_info {
    pid_t pid;
    pid_t parent;
    pid_t session;
    char state;
    bool is_member;
    uint64_t tag;
    // Of it and of its children that ended.
    uint64_t cpu_micros;
    uint64_t children_micros;
    uint64_t began;
};

struct snapshot {
    struct process_info *list;
    size_t count;
};

// All processes that there are but the agent and its stem. False if it cannot be known now.
bool snapshot_take(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);
// Sets is_member of those that belong to the job, and of no others. If the leader is gone, a process of its number is
// another one, and so is the session of that number.
void snapshot_mark(struct snapshot *snapshot, pid_t leader, uint64_t tag, bool leader_is_gone);
// Memory that only this process has, in bytes.
uint64_t process_memory(pid_t pid);
// Its peak, shared pages included.
uint64_t process_memory_peak(pid_t pid);
// Processor time of one process and of its children that ended, in microseconds.
uint64_t process_cpu(pid_t pid);
// How many processors the sandbox may use.
int64_t processors(void);
// Kills all that belong to a job; what needs longer goes on in the background.
void tree_kill(pid_t leader, uint64_t tag, bool leader_is_gone);

#endif
