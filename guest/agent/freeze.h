// FREEZE and THAW: all of the workload stands still, and its clocks with it.
#ifndef GLOVEBOX_FREEZE_H
#define GLOVEBOX_FREEZE_H

#include "fields.h"

void freeze_request(uint32_t number);
void thaw_request(uint32_t number);
bool is_frozen(void);
// Microseconds that the workload stood still so far.
int64_t frozen_micros(void);

#endif
