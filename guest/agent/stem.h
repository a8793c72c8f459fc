// The stem: a child of the agent that sits in the workload's cgroups and starts workload processes there. Joining a
// group costs up to 20 ms and is done once; being born in one costs nothing. Whatever else all of the workload gives up
// is given up there once, too. What the stem starts is born as the agent's own child (CLONE_PARENT), so that the agent
// can wait for it.
#ifndef GLOVEBOX_STEM_H
#define GLOVEBOX_STEM_H

#include <stdint.h>
#include <sys/types.h>

#include "launch.h"

// From the stem's side: what came of a launch, its child being -1 if none could be made. Id 0: the stem stands in its
// groups; a negative `pid` then says that it does not.
struct stem_report {
    uint32_t id;
    struct launch_fate fate;
};

// Starts the first stem and waits until it stands. False if it cannot join the groups.
bool stem_start(void);
// Asks for a process; `place` is that of its fate in the memory that is shared. The descriptors stay the caller's.
// False if it cannot be asked now.
bool stem_ask(uint32_t id, uint32_t place, const struct bytes *block, const int fds[LAUNCH_FDS]);
// Hands all reports that have come to launcher_report.
void stem_settle(void);
pid_t stem_pid(void);
// It died: makes a new one.
void stem_renew(void);

#endif
