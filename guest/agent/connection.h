// The one connection to the host: frames in, frames out. What goes out is queued, and who produces data asks first
// whether there is room, so that a host that does not read costs a bounded amount of memory.
#ifndef GLOVEBOX_CONNECTION_H
#define GLOVEBOX_CONNECTION_H

#include "bytes.h"
#include "frames.h"
#include "list.h"

// A frame in the making, with room for a whole payload.
struct block {
    struct link link;
    size_t start;
    size_t end;
    uint8_t data[HEADER_BYTES + PAYLOAD_BYTES_MAX];
};

// `deliver` gets each frame, `resume` runs when there is room again, `lost` when the connection is over.
struct connection_events {
    void (*deliver)(const struct frame *frame);
    void (*resume)(void);
    void (*lost)(void);
};

bool connection_start(int in, int out, const struct connection_events *events);
// Whether data may be queued now. Frames that answer may be always.
bool connection_has_room(void);
// A block to read data into, at data + HEADER_BYTES; NULL if there is no memory. Give it back by one of the next two.
struct block *connection_block(void);
void connection_send_block(struct block *block, uint16_t stream, uint32_t channel, size_t length);
void connection_return_block(struct block *block);
void connection_send(enum frame_type type, uint16_t stream, uint32_t channel, const void *payload, size_t length);
// What was queued last, a frame with so long a payload, may wait a moment for company: the word that a process started
// for what it prints, or for its end. Unless something else wants to go out.
void connection_defer(size_t length);
// Writes what the socket takes now; part of each turn of the loop.
void connection_flush(void);
// Says why to the host and ends the program with status 1: the host broke the protocol.
void connection_break(const char *why) __attribute__((noreturn));

#endif
