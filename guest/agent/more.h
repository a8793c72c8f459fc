// Requests whose fields do not fit in one frame.
#ifndef GLOVEBOX_MORE_H
#define GLOVEBOX_MORE_H

#include "channel.h"

// Gathers the records that follow, and begins the request at their END.
void more_begin(enum request_kind kind, uint32_t number, const struct fields *first);

#endif
