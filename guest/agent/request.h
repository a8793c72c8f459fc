// Begins a request: the one place that knows which kind is done where.
#ifndef GLOVEBOX_REQUEST_H
#define GLOVEBOX_REQUEST_H

#include "fields.h"

void request_begin(enum request_kind kind, uint32_t number, const struct fields *fields);

#endif
