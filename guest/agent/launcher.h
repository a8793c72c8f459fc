// Starts of processes that are under way: asked for, and not yet known to run their program.
#ifndef GLOVEBOX_LAUNCHER_H
#define GLOVEBOX_LAUNCHER_H

#include "launch.h"
#include "loop.h"

struct launch {
    struct link link;
    uint32_t id;
    // Of its fate, in the memory that is shared with the stem.
    uint32_t place;
    struct task over;
    // Kept until the stem took them.
    struct bytes block;
    int fds[LAUNCH_FDS];
    // 0 until it is known.
    pid_t pid;
    // The process exists; it does not run its program yet. May be NULL.
    void (*born)(struct launch *launch);
    // Over: STAGE_STARTED, or where it failed and why.
    void (*done)(struct launch *launch, enum launch_stage stage, int error);
};

// False if there is no memory to share.
bool launcher_start(void);
// Begins. The descriptors become the launcher's in any case. False if not even that was possible; then errno says why
// and `done` is not called.
bool launcher_begin(struct launch *launch, const struct launch_plan *plan, const int fds[LAUNCH_FDS]);
// The launch is over; a negative `pid`: there was no room for a process.
void launcher_report(uint32_t id, const struct launch_fate *fate);
// Learns of processes that exist, and whose launches are not over.
void launcher_look(void);
struct launch_fate *launcher_fate(uint32_t place);
// The stem died: what it had not answered is lost.
void launcher_stem_lost(void);

#endif
