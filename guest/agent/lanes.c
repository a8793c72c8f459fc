#include "lanes.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protocol.h"

static uint8_t *lanes;

bool lanes_start(int fd) {
    void *mapped = mmap(NULL, 2 * (size_t)LANE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    lanes = mapped == MAP_FAILED ? NULL : mapped;
    return lanes != NULL;
}

bool lanes_exist(void) {
    return lanes != NULL;
}

const uint8_t *lane_in(void) {
    return lanes;
}

uint8_t *lane_out(void) {
    return lanes + LANE_BYTES;
}
