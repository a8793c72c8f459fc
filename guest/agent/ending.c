#include "ending.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

struct ending ending_exited(int code) {
    return (struct ending){.outcome = OUTCOME_EXITED, .exit_code = code & 0xff};
}

struct ending ending_timed_out(uint16_t clock, uint64_t limit) {
    return (struct ending){.outcome = OUTCOME_TIMED_OUT, .clock = clock, .limit = limit};
}

struct ending ending_out_of_memory(uint64_t limit) {
    return (struct ending){.outcome = OUTCOME_OUT_OF_MEMORY, .limit = limit == UINT64_MAX ? 0 : limit};
}

struct ending ending_flooded(uint64_t limit, bool with_results) {
    struct ending ending = {.outcome = OUTCOME_KILLED_BY_POLICY, .rule = "limits.output"};
    snprintf(ending.reason, sizeof ending.reason, "wrote more than its limit of %" PRIu64 " bytes of output%s", limit,
             with_results ? " and results" : "");
    return ending;
}

struct ending ending_killed(const char *reason) {
    struct ending ending = {.outcome = OUTCOME_KILLED};
    snprintf(ending.reason, sizeof ending.reason, "%s", reason);
    return ending;
}

struct ending ending_lost(const char *reason) {
    struct ending ending = {.outcome = OUTCOME_LOST};
    snprintf(ending.reason, sizeof ending.reason, "%s", reason);
    return ending;
}

struct ending ending_of_job(const struct job *job, uint64_t signalled, uint64_t memory_limit) {
    if (job_was_out_of_memory(job)) {
        return ending_out_of_memory(memory_limit);
    }
    if (!WIFSIGNALED(job->wait_status)) {
        return ending_exited(WEXITSTATUS(job->wait_status));
    }
    int number = WTERMSIG(job->wait_status);
    // An interrupt that ends a program was heeded; the shell's number for it says so.
    if (number != SIGINT && number < 64 && (signalled & UINT64_C(1) << number) != 0) {
        char reason[32];
        snprintf(reason, sizeof reason, "signal %d", number);
        return ending_killed(reason);
    }
    return ending_exited(128 + number);
}

void ending_put(struct bytes *fields, const struct ending *ending) {
    put_number(fields, TAG_OUTCOME, ending->outcome);
    switch (ending->outcome) {
    case OUTCOME_EXITED:
        put_number(fields, TAG_EXIT_CODE, (uint64_t)ending->exit_code);
        break;
    case OUTCOME_TIMED_OUT:
        put_number(fields, ending->clock, ending->limit);
        break;
    case OUTCOME_OUT_OF_MEMORY:
        put_number(fields, TAG_MEMORY_BYTES, ending->limit);
        break;
    case OUTCOME_KILLED_BY_POLICY:
        put_string(fields, TAG_RULE, ending->rule);
        put_string(fields, TAG_REASON, ending->reason);
        break;
    case OUTCOME_KILLED:
    case OUTCOME_LOST:
        put_string(fields, TAG_REASON, ending->reason);
        break;
    }
}
