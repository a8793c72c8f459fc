/* What the first process of a sandbox may still do. */
#ifndef PRIVILEGES_H
#define PRIVILEGES_H

#include "plan.h"

/* Resource limits, inherited by everything inside. */
void privileges_limit(const plan *p);
/* Enters the sandbox's user namespace and becomes its root. */
void privileges_enter_users(const plan *p);
/* Keeps what an agent needs to act for the users inside, and gives the rest up for good. */
void privileges_keep_agents(const plan *p);
/* Keeps what a zygote needs to enter sandboxes and to become a user of theirs. */
void privileges_keep_zygotes(const plan *p);
/* Gives everything up: becomes user 1000 with no capability, no way to gain one, and the filter. */
void privileges_drop_all(const plan *p);

#endif
