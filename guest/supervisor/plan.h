/* Everything that the child needs to become a sandbox, prepared by the supervisor before it is cloned. */
#ifndef PLAN_H
#define PLAN_H

#include "cgroup.h"
#include "disk.h"
#include "lanes.h"
#include "spec.h"

typedef struct {
    const sandbox_spec *spec;
    cgroup group;
    const char *template_place; /* where the template is mounted */
    disk disk;                  /* its own, for the writable layer; without one the layer is memory */
    int slot;                   /* its range of users */
    int userns;
    int lanes;                  /* shared with the server; -1 */
    int stream;                 /* socket to the server, or the read end of the input */
    int agent;                  /* the agent's program, open */
    int filter;                 /* the seccomp program, open */
    int log;                    /* the write end of what a command's standard error goes to */
    int report;                 /* where the child says what failed; closed when it has become the sandbox */
    int life;                   /* ends when the supervisor does */
    int channel;                /* a zygote's socket to the supervisor */
    bool warm;                  /* a zygote hands in a kernel: the agent listens for it */
    int joins[CGROUP_HIERARCHIES_MAX];
    int join_count;
    int oom, memory_usage, memory_peak, cpu_usage;
} plan;

/* Asks to die with the supervisor; and dies, if it is gone already. The kernel forgets the wish whenever the user
 * changes, so it is said again after the last change. */
void plan_die_with_supervisor(const plan *p);
/* Says what failed and ends the child. */
void plan_fail(const plan *p, const char *what) __attribute__((noreturn));

#endif
