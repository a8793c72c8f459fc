#include "frames.h"

#include "bytes.h"

enum parsed frame_parse(const uint8_t *data, size_t length, struct frame *frame, const char **why) {
    if (length < HEADER_BYTES) {
        return FRAME_PARTIAL;
    }
    uint32_t payload = load_u32(data);
    uint8_t type = data[4];
    if (payload > PAYLOAD_BYTES_MAX) {
        *why = "a frame announces more than 65536 bytes";
        return FRAME_BROKEN;
    }
    if (type < FRAME_HELLO || type > FRAME_SHARED) {
        *why = "a frame is of a type that does not exist";
        return FRAME_BROKEN;
    }
    if (data[5] != 0) {
        *why = "a frame has flags, and none are defined";
        return FRAME_BROKEN;
    }
    uint32_t channel = load_u32(data + 8);
    if (channel > INT32_MAX) {
        *why = "a frame's channel is out of range";
        return FRAME_BROKEN;
    }
    if (length - HEADER_BYTES < payload) {
        return FRAME_PARTIAL;
    }
    *frame = (struct frame){(enum frame_type)type, load_u16(data + 6), channel, data + HEADER_BYTES, payload};
    return FRAME_COMPLETE;
}

void frame_header(uint8_t header[HEADER_BYTES], enum frame_type type, uint16_t stream, uint32_t channel,
                  uint32_t length) {
    store_u32(header, length);
    header[4] = (uint8_t)type;
    header[5] = 0;
    header[6] = (uint8_t)(stream >> 8);
    header[7] = (uint8_t)stream;
    store_u32(header + 8, channel);
}
