// How one process starts: everything about it in one block of memory that can be handed to another process, and the
// code that the child runs between fork and exec.
#ifndef GLOVEBOX_LAUNCH_H
#define GLOVEBOX_LAUNCH_H

#include "bytes.h"
#include "users.h"

// Descriptors of a launch: those that the program gets as 0, 1, 2 and 3.
enum { LAUNCH_STDIN, LAUNCH_STDOUT, LAUNCH_STDERR, LAUNCH_EXTRA, LAUNCH_FDS };

// Where a start failed.
enum launch_stage { STAGE_STARTED, STAGE_SETUP, STAGE_DIRECTORY, STAGE_PROGRAM, STAGE_LOST };

// What comes of a launch, in memory that the agent, the stem and the child share until the child runs its program.
struct launch_fate {
    // 0 until the child exists.
    int32_t pid;
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
// Does once, in a process that will start others and nothing else, what they would all do.
void launch_inherit(void);
// Makes a child that becomes the program, and returns when it has, or when it is dead: it borrows our memory until
// then. `is_siblings` makes it a child of our parent. LAUNCH_EXTRA may be -1. Returns its id, or -1 with errno; where
// it failed after that, `fate` says.
pid_t launch_spawn(uint8_t *block, size_t length, const int fds[LAUNCH_FDS], bool is_siblings, struct launch_fate *fate);

#endif
