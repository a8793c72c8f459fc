// METRICS: what the sandbox uses now.
#ifndef GLOVEBOX_METRICS_H
#define GLOVEBOX_METRICS_H

#include <stdint.h>

void metrics_request(uint32_t number);

#endif
