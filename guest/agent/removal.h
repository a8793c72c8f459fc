// Removes a directory with all that is in it, in pieces.
#ifndef GLOVEBOX_REMOVAL_H
#define GLOVEBOX_REMOVAL_H

#include <stdint.h>

#include "users.h"

void removal_begin(uint32_t number, const char *path, const struct user *user);

#endif
