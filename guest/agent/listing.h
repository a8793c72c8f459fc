// LIST: a directory and what is below it, one record for each entry, as fast as the host takes them.
#ifndef GLOVEBOX_LISTING_H
#define GLOVEBOX_LISTING_H

#include "fields.h"

void list_request(uint32_t number, const struct fields *fields);

#endif
