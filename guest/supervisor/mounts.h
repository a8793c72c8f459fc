/* /proc, /dev and /sys of a sandbox below a root that is not entered yet. */
#ifndef MOUNTS_H
#define MOUNTS_H

#include "plan.h"

void mounts_base(const plan *p, const char *root);

#endif
