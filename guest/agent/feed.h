// Writes what the host sends on a stream into a pipe, a terminal or a connection, and grants credit for what the guest
// took. It holds never more than the credit that was granted.
#ifndef GLOVEBOX_FEED_H
#define GLOVEBOX_FEED_H

#include "channel.h"
#include "loop.h"

enum feed_end { FEED_CLOSES, FEED_SHUTS_DOWN, FEED_TYPES_END };

struct feed {
    struct poller poller;
    struct channel *channel;
    unsigned stream;
    // What happens to the descriptor at the end.
    enum feed_end at_end;
    struct bytes pending;
    size_t sent;
    bool has_end;
    // The end was passed on, or the reader is gone: what still comes is forgotten.
    bool is_over;
    // After the end was passed on, or the reader went. May be NULL; may free the feed.
    void (*over)(struct feed *feed);
};

void feed_init(struct feed *feed, int fd, unsigned stream, struct channel *channel, enum feed_end at_end);
void feed_data(struct feed *feed, const uint8_t *data, size_t length);
void feed_finish(struct feed *feed);
void feed_close(struct feed *feed);

#endif
