/* The child's way from a fresh clone to a sandbox whose first process is the agent. */
#ifndef JAIL_H
#define JAIL_H

#include "plan.h"

void jail_become(const plan *p) __attribute__((noreturn));

#endif
