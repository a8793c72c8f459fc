/* Control groups, version 1 and 2: found out at the start, never assumed. A sandbox has one group (in version 1 one in
 * each hierarchy) below <root>/glovebox/<instance>/<id>. What is limited is the workload: its agent stays outside. */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "spec.h"

enum { CGROUP_HIERARCHIES_MAX = 6 };

typedef struct {
    char id[72];
    bool made;
} cgroup;

/* Finds the hierarchies and makes the instance's directory; what an earlier process of this instance left there is
 * killed and removed. Says in words what is missing; NULL if nothing is. */
const char *cgroup_init(const char *instance);
/* Whether the host has groups to limit memory and processes with. */
bool cgroup_available(void);
int cgroup_make(cgroup *group, const char *id, const sandbox_spec *spec);
/* Changes limits of a group that exists; fields that are 0 stay as they are. */
int cgroup_limit(const cgroup *group, const sandbox_spec *spec);
/* Bounds what goes from and to a disk that is the group's alone. Best effort: not every host can. */
void cgroup_bound_disk(const cgroup *group, unsigned major, unsigned minor, const sandbox_spec *spec);
/* That disk is nobody's any more. */
void cgroup_unbound_disk(unsigned major, unsigned minor);
/* Bounds what the group reads from the disk on which this file or directory is. */
void cgroup_bound_template(const cgroup *group, const char *path, const sandbox_spec *spec);
/* Opens what a process writes "0" to in order to join; returns how many, or -1 and errno. */
int cgroup_open_joins(const cgroup *group, int fds[CGROUP_HIERARCHIES_MAX]);
/* Opens a file of the memory hierarchy: what the kernel told about out-of-memory, usage, peak; or of the processor's. */
int cgroup_open_oom(const cgroup *group);
int cgroup_open_memory_usage(const cgroup *group);
int cgroup_open_memory_peak(const cgroup *group);
int cgroup_open_cpu_usage(const cgroup *group);
/* How often the kernel killed in this group for want of memory. */
int64_t cgroup_oom_kills(const cgroup *group);
/* Kills what is in it. */
void cgroup_kill(const cgroup *group);
/* True once all of it is gone. */
bool cgroup_remove(cgroup *group);
/* Removes the instance's directories, once nothing is in them; says whether no other server of this host has any. */
bool cgroup_end(void);

#endif
