// How one process starts: everything about it in one block of memory that can be handed to another process, and the
// code that the child runs between fork and exec.
#ifndef GLOVEBOX_LAUNCH_H
#define GLOVEBOX_LAUNCH_H

#include "bytes.h"
#include "users.h"

// Descriptors of a launch: where a failure to start is told, then those that the program gets as 0, 1, 2 and 3.
enum { LAUNCH_STATUS, LAUNCH_STDIN, LAUNCH_STDOUT, LAUNCH_STDERR, LAUNCH_EXTRA, LAUNCH_FDS };

// Where a start failed.
enum launch_stage { STAGE_STARTED, STAGE_SETUP, STAGE_DIRECTORY, STAGE_PROGRAM, STAGE_LOST };

// What the child writes to LAUNCH_STATUS if it fails; nothing if it does not.
struct launch_failure {
    int32_t stage;
    int32_t error;
};

struct launch_plan {
    char *const *arguments;
    size_t argument_count;
    char *const *environment;
    size_t environment_count;
    const char *directory;
    bool directory_is_guess;
    const struct user *user;
    bool has_terminal;
    uint64_t tag;
};

bool launch_encode(const struct launch_plan *plan, struct bytes *block);
// Becomes the program, or writes a launch_failure and exits. LAUNCH_EXTRA may be -1. If `stem` is not -1, the process
// id goes there first, as a stem_report with `id`.
void launch_child(uint8_t *block, size_t length, const int fds[LAUNCH_FDS], int stem, uint32_t id)
    __attribute__((noreturn));

#endif
