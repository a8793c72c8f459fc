// Frames: a header of twelve bytes and a payload. Holds nothing and allocates nothing: the caller owns the buffer.
#ifndef GLOVEBOX_FRAMES_H
#define GLOVEBOX_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct frame {
    enum frame_type type;
    uint16_t stream;
    uint32_t channel;
    const uint8_t *payload;
    uint32_t length;
};

enum parsed { FRAME_PARTIAL, FRAME_COMPLETE, FRAME_BROKEN };

// Looks at the start of `data`. A complete frame takes HEADER_BYTES + frame->length bytes and points into `data`. A
// broken one has `*why`, a sentence. A header is judged as soon as it is there, before its payload.
enum parsed frame_parse(const uint8_t *data, size_t length, struct frame *frame, const char **why);
void frame_header(uint8_t header[HEADER_BYTES], enum frame_type type, uint16_t stream, uint32_t channel,
                  uint32_t length);

#endif
