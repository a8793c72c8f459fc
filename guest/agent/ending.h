// How a process or an execution ended, and what it used: the fields of its CLOSE.
#ifndef GLOVEBOX_ENDING_H
#define GLOVEBOX_ENDING_H

#include "fields.h"
#include "job.h"

struct ending {
    enum outcome outcome;
    // Exited.
    int exit_code;
    // Timed out: the tag of the clock; and out of memory.
    uint16_t clock;
    uint64_t limit;
    // Killed by policy.
    const char *rule;
    char reason[128];
};

struct ending ending_exited(int code);
struct ending ending_timed_out(uint16_t clock, uint64_t limit);
struct ending ending_out_of_memory(uint64_t limit);
// Past OUTPUT_BYTES.
struct ending ending_flooded(uint64_t limit, bool with_results);
struct ending ending_killed(const char *reason);
struct ending ending_lost(const char *reason);
// What the end of a job that nobody ended means. `signalled` has a bit for each signal that the host sent.
struct ending ending_of_job(const struct job *job, uint64_t signalled, uint64_t memory_limit);
void ending_put(struct bytes *fields, const struct ending *ending);

#endif
