// Memory that is shared with the host: a lane of LANE_BYTES towards the agent, and one away from it. What lies in it
// neither end believes: it is content of files, and the frames say where.
#ifndef GLOVEBOX_LANES_H
#define GLOVEBOX_LANES_H

#include <stdbool.h>
#include <stdint.h>

// Maps them and closes the descriptor.
bool lanes_start(int fd);
bool lanes_exist(void);
const uint8_t *lane_in(void);
uint8_t *lane_out(void);

#endif
