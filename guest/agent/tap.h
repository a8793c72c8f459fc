// Takes what a guest writes into a pipe, a terminal or a connection, and sends it on one stream. It reads only what it
// may send: who does not read his output waits, and nobody else does.
#ifndef GLOVEBOX_TAP_H
#define GLOVEBOX_TAP_H

#include "channel.h"
#include "loop.h"

// Bytes that a guest sent, on all its streams together, and how many it may.
struct output {
    uint64_t used;
    uint64_t limit;
};

struct tap {
    struct poller poller;
    // NULL: what comes is forgotten.
    struct channel *channel;
    unsigned stream;
    struct output *output;
    // The writer is gone, or the tap was closed.
    bool is_over;
    // Why it is over, if it is no plain end.
    int error;
    // Bytes that were there when tap_settle was called, and have not been read.
    size_t owed;
    // After data was taken, and at the end. May free the tap.
    void (*moved)(struct tap *tap);
    // More came than `output` allows. May free the tap.
    void (*flooded)(struct tap *tap);
};

void tap_init(struct tap *tap, int fd, unsigned stream, struct channel *channel, struct output *output);
// Waits for data if it may be sent.
void tap_pump(struct tap *tap);
// Takes at once what is there and may be sent, without calling `moved` or `flooded`.
void tap_drain(struct tap *tap);
// Notes what is owed: all that is in the pipe now.
void tap_settle(struct tap *tap);
void tap_close(struct tap *tap);

#endif
