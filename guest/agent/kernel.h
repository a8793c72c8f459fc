// A kernel: the process of an interpreter that executes one piece of code after the other, its streams, and the
// records on its descriptor 3. What comes from it is a guest's word and is believed in nothing.
#ifndef GLOVEBOX_KERNEL_H
#define GLOVEBOX_KERNEL_H

#include "job.h"
#include "tap.h"

struct kernel {
    struct job job;
    struct poller socket;
    struct tap out;
    struct tap err;
    // Received and not yet a whole record; to be sent.
    struct bytes in;
    struct bytes to_send;
    size_t sent;
    // Nobody can take a record now.
    bool is_paused;
    bool is_deaf;
    // A whole record.
    void (*record)(struct kernel *kernel, const struct fields *fields);
    // Its socket is closed, or what came there were no records. Once.
    void (*hung_up)(struct kernel *kernel);
};

void kernel_init(struct kernel *kernel, int socket, int out, int err);
void kernel_send(struct kernel *kernel, const struct bytes *fields);
// Takes no records until it is let go on.
void kernel_pause(struct kernel *kernel, bool pause);
// Takes the records that have come, for the last time.
void kernel_drain(struct kernel *kernel);
// Its streams go to this channel, or nowhere.
void kernel_attach(struct kernel *kernel, struct channel *channel, struct output *output);
void kernel_close(struct kernel *kernel);

#endif
