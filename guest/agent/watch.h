// WATCH: what changes in a directory, and with RECURSIVE in all below it, also in directories that are made later.
#ifndef GLOVEBOX_WATCH_H
#define GLOVEBOX_WATCH_H

#include "fields.h"

void watch_request(uint32_t number, const struct fields *fields);

#endif
