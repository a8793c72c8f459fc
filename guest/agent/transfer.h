// READ and WRITE: the content of files.
#ifndef GLOVEBOX_TRANSFER_H
#define GLOVEBOX_TRANSFER_H

#include "fields.h"

void read_request(uint32_t number, const struct fields *fields);
void write_request(uint32_t number, const struct fields *fields);

#endif
