/* The few devices that a sandbox has. */
#ifndef DEVICES_H
#define DEVICES_H

#include "plan.h"

void devices_make(const plan *p, const char *root);

#endif
