// Channels: the requests under way, their credit in both directions, and the frames about them.
#ifndef GLOVEBOX_CHANNEL_H
#define GLOVEBOX_CHANNEL_H

#include "fields.h"
#include "frames.h"
#include "list.h"

struct block;
struct channel;

// What a request does with what comes. Members may be NULL: then it is passed over.
struct channel_kind {
    // Bits of the streams that the host may send.
    unsigned inputs;
    void (*data)(struct channel *channel, const uint8_t *data, size_t length);
    // No more data comes.
    void (*end)(struct channel *channel);
    // There is credit or room that was missed.
    void (*pump)(struct channel *channel);
    void (*control)(struct channel *channel, const struct fields *fields);
    // Ends the request: it must close soon, and send no data from here on.
    void (*cancel)(struct channel *channel);
};

// The first member of every request that lasts longer than its OPEN frame.
struct channel {
    struct link bucket;
    struct link starved;
    uint32_t number;
    const struct channel_kind *kind;
    uint32_t send_credit[STREAMS];
    uint32_t receive_credit[STREAMS];
    uint32_t consumed[STREAMS];
    unsigned ended;
    bool is_open;
    bool is_silent;
    // Many bytes are on their way in, and none of them is kept here.
    bool is_bulk;
    bool is_wide;
    // They come through the lane, all of which they may fill.
    bool is_shared;
    // Records that wait for credit.
    struct bytes records;
    size_t records_sent;
};

void channels_start(void);
void channels_frame(const struct frame *frame);
void channels_resume(void);

void channel_open(struct channel *channel, uint32_t number, const struct channel_kind *kind);
// How many bytes of this stream may be sent now; if none because the connection is full, pump will be called.
size_t channel_allowance(struct channel *channel, unsigned stream);
// Sends a block of at most that many bytes.
void channel_send_block(struct channel *channel, unsigned stream, struct block *block, size_t length);
// Copies; at most the allowance.
void channel_send(struct channel *channel, unsigned stream, const void *data, size_t length);
// How many bytes of this stream may be sent now through the lane, from `position` in it on, and in one piece.
size_t channel_lane_allowance(struct channel *channel, unsigned stream, uint32_t position);
// Sends that many bytes, which lie there.
void channel_send_shared(struct channel *channel, unsigned stream, uint32_t position, size_t length);
void channel_send_end(struct channel *channel, unsigned stream);
// Tells the host that it may send so many bytes more, when it is worth a frame.
void channel_consumed(struct channel *channel, unsigned stream, size_t length);
// Queues one record and sends what it can.
void channel_record(struct channel *channel, const struct bytes *fields);
// Bytes of records that still wait.
size_t channel_records_left(const struct channel *channel);
// Sends nothing more but CLOSE.
void channel_silence(struct channel *channel);
// Ends the channel. `fields`, which may be NULL, must hold the STATUS. The request's memory stays its own.
void channel_close(struct channel *channel, const struct bytes *fields);
// The same, of a request that is not, or is no longer, a channel.
void channel_answer(uint32_t number, const struct bytes *fields);
void channel_refuse(uint32_t number, enum status status, const char *message);
void channel_fail(struct channel *channel, enum status status, const char *message);

#endif
