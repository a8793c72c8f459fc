// PROCESS: a program, its streams, its limits, its end.
#ifndef GLOVEBOX_PROCESS_H
#define GLOVEBOX_PROCESS_H

#include "fields.h"

void process_request(uint32_t number, const struct fields *fields);
// Programs that run now.
size_t processes_running(void);

#endif
