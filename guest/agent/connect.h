// CONNECT: a connection to a port inside the sandbox, half-closes kept.
#ifndef GLOVEBOX_CONNECT_H
#define GLOVEBOX_CONNECT_H

#include "fields.h"

void connect_request(uint32_t number, const struct fields *fields);

#endif
