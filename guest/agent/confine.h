// What a workload process gives up before its program begins. Called in the child, or before it in its parent, from
// which it is inherited.
#ifndef GLOVEBOX_CONFINE_H
#define GLOVEBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Resource limits.
bool confine_limits(void);
// Marks the process and all that descend from it; see proctree.h. Where that cannot be, nothing.
void confine_mark(uint64_t tag);
// Becomes the user, for good.
bool confine_identity(uid_t uid, gid_t gid, const gid_t *groups, size_t group_count);
// Takes capabilities out of reach of whatever is executed later; needs root's own, so it comes before the identity.
void confine_bounding(void);
// Without capabilities, for good: no program can give any back. False if some are left in reach.
bool confine_privileges(void);
// Before confine_files, in the parent: has its rules at hand, made for the root directory as it is now.
void confine_prepare(void);
// No writing beneath /proc and /sys, where the kernel has Landlock. Where it has not, nothing.
void confine_files(void);
// No signals and no abstract sockets beyond those who were started from here, where the kernel can.
void confine_scope(void);
// The seccomp program, if there is one. Last, because it may forbid what the others need.
bool confine_calls(void);

#endif
