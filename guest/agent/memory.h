// The bound on the memory of all of the workload, where no cgroup enforces it.
#ifndef GLOVEBOX_MEMORY_H
#define GLOVEBOX_MEMORY_H

void memory_start(void);
// Something runs: looks from now on, until nothing does.
void memory_watch(void);

#endif
