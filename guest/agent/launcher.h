// Starts of processes that are under way: asked for, and not yet known to run their program.
#ifndef GLOVEBOX_LAUNCHER_H
#define GLOVEBOX_LAUNCHER_H

#include "launch.h"
#include "loop.h"

struct launch {
    struct link link;
    uint32_t id;
    struct poller status;
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

void launcher_start(void);
// Begins. `fds[LAUNCH_STATUS]` is made here; the others become the launcher's in any case. False if not even that
// was possible; then errno says why and `done` is not called.
bool launcher_begin(struct launch *launch, const struct launch_plan *plan, const int fds[LAUNCH_FDS]);
void launcher_report(uint32_t id, pid_t pid);
// The process has died; if its start is not over, it is now.
void launcher_dead(struct launch *launch);
// The stem died: what it had not answered is lost.
void launcher_stem_lost(void);

#endif
