#include "channel.h"

#include <string.h>

#include "agent.h"
#include "connection.h"
#include "lanes.h"
#include "more.h"
#include "request.h"

enum {
    BUCKETS = 256,
    GRANT_STEP_BYTES = 64 * 1024,
    // More credit for bulk, once there is some, and fewer frames about it: what waits does so in the socket, and each
    // grant wakes three threads of the host.
    WIDER_BYTES = 768 * 1024,
    WIDE_GRANT_STEP_BYTES = 256 * 1024,
    // Of what is shared as much at once: a quarter of the lane, so that both ends have something to do.
    SHARED_BYTES_MAX = LANE_BYTES / 4,
    SHARED_FRAME_BYTES = 8,
    // What is left of it when a channel is wide.
    SHARED_BYTES = LANE_BYTES - INITIAL_CREDIT_BYTES - WIDER_BYTES,
    URGENT_RECORD_BYTES = 4096,
};

static struct link buckets[BUCKETS];
static struct link starving;
static int count;
static bool welcomed;

void channels_start(void) {
    for (int i = 0; i < BUCKETS; i++) {
        link_init(&buckets[i]);
    }
    link_init(&starving);
}

static struct channel *find(uint32_t number) {
    struct link *bucket = &buckets[number % BUCKETS];
    for (struct link *link = bucket->next; link != bucket; link = link->next) {
        struct channel *channel = CONTAINER(link, struct channel, bucket);
        if (channel->number == number) {
            return channel;
        }
    }
    return NULL;
}

void channel_open(struct channel *channel, uint32_t number, const struct channel_kind *kind) {
    channel->number = number;
    channel->kind = kind;
    channel->is_open = true;
    channel->is_silent = false;
    channel->is_bulk = false;
    channel->is_wide = false;
    channel->is_shared = false;
    channel->ended = 0;
    channel->records = (struct bytes){0};
    channel->records_sent = 0;
    for (int i = 0; i < STREAMS; i++) {
        channel->send_credit[i] = INITIAL_CREDIT_BYTES;
        channel->receive_credit[i] = INITIAL_CREDIT_BYTES;
        channel->consumed[i] = 0;
    }
    link_init(&channel->starved);
    link_init(&channel->bucket);
    link_append(&buckets[number % BUCKETS], &channel->bucket);
    count++;
}

static uint32_t credit_to_send(struct channel *channel, unsigned stream) {
    if (!channel->is_open || channel->is_silent || channel->send_credit[stream] == 0) {
        return 0;
    }
    if (!connection_has_room()) {
        if (link_alone(&channel->starved)) {
            link_append(&starving, &channel->starved);
        }
        return 0;
    }
    return channel->send_credit[stream];
}

size_t channel_allowance(struct channel *channel, unsigned stream) {
    uint32_t credit = credit_to_send(channel, stream);
    return credit < PAYLOAD_BYTES_MAX ? credit : PAYLOAD_BYTES_MAX;
}

size_t channel_lane_allowance(struct channel *channel, unsigned stream, uint32_t position) {
    uint32_t most = LANE_BYTES - position;
    uint32_t credit = credit_to_send(channel, stream);
    most = most < SHARED_BYTES_MAX ? most : SHARED_BYTES_MAX;
    return credit < most ? credit : most;
}

void channel_send_block(struct channel *channel, unsigned stream, struct block *block, size_t length) {
    channel->send_credit[stream] -= (uint32_t)length;
    connection_send_block(block, (uint16_t)stream, channel->number, length);
}

void channel_send(struct channel *channel, unsigned stream, const void *data, size_t length) {
    channel->send_credit[stream] -= (uint32_t)length;
    connection_send(FRAME_DATA, (uint16_t)stream, channel->number, data, length);
}

void channel_send_shared(struct channel *channel, unsigned stream, uint32_t position, size_t length) {
    uint8_t payload[SHARED_FRAME_BYTES];
    store_u32(payload, position);
    store_u32(payload + 4, (uint32_t)length);
    channel->send_credit[stream] -= (uint32_t)length;
    connection_send(FRAME_SHARED, (uint16_t)stream, channel->number, payload, sizeof payload);
}

void channel_send_end(struct channel *channel, unsigned stream) {
    if (channel->is_open && !channel->is_silent) {
        connection_send(FRAME_END, (uint16_t)stream, channel->number, NULL, 0);
    }
}

static void grant(struct channel *channel, unsigned stream, uint32_t more) {
    uint8_t payload[4];
    store_u32(payload, more);
    connection_send(FRAME_CREDIT, (uint16_t)stream, channel->number, payload, sizeof payload);
    channel->receive_credit[stream] += more;
}

void channel_consumed(struct channel *channel, unsigned stream, size_t length) {
    channel->consumed[stream] += (uint32_t)length;
    uint32_t more = channel->consumed[stream];
    uint32_t step = channel->is_shared ? SHARED_BYTES_MAX
                    : channel->is_wide ? WIDE_GRANT_STEP_BYTES
                                       : GRANT_STEP_BYTES;
    if (channel->is_open && more >= step && (channel->ended & 1U << stream) == 0) {
        if (channel->is_bulk && !channel->is_wide) {
            channel->is_wide = true;
            more += WIDER_BYTES;
        }
        grant(channel, stream, more);
        channel->consumed[stream] = 0;
    }
}

size_t channel_records_left(const struct channel *channel) {
    return channel->records.length - channel->records_sent;
}

static void send_records(struct channel *channel) {
    size_t left;
    while ((left = channel_records_left(channel)) > 0) {
        size_t length = channel_allowance(channel, STREAM_RECORDS);
        if (length == 0 && left <= URGENT_RECORD_BYTES && !channel->is_silent) {
            // A short record, such as the one that says that a process started, needs no room: it must not come
            // behind what it announces.
            length = channel->send_credit[STREAM_RECORDS];
        }
        length = length < left ? length : left;
        if (length == 0) {
            return;
        }
        channel_send(channel, STREAM_RECORDS, channel->records.data + channel->records_sent, length);
        channel->records_sent += length;
    }
    bytes_clear(&channel->records);
    channel->records_sent = 0;
}

void channel_record(struct channel *channel, const struct bytes *fields) {
    if (!channel->is_open || channel->is_silent || fields->failed) {
        return;
    }
    bytes_drop(&channel->records, channel->records_sent);
    channel->records_sent = 0;
    if (bytes_reserve(&channel->records, 4 + fields->length)) {
        bytes_add_u32(&channel->records, (uint32_t)fields->length);
        bytes_add(&channel->records, fields->data, fields->length);
    }
    channel->records.failed = false;
    send_records(channel);
}

void channel_silence(struct channel *channel) {
    channel->is_silent = true;
    bytes_free(&channel->records);
    channel->records_sent = 0;
}

void channel_answer(uint32_t number, const struct bytes *fields) {
    if (fields->failed || fields->length > PAYLOAD_BYTES_MAX) {
        channel_refuse(number, STATUS_FAILED, "the answer does not fit into a frame");
        return;
    }
    connection_send(FRAME_CLOSE, 0, number, fields->data, fields->length);
}

void channel_refuse(uint32_t number, enum status status, const char *message) {
    struct bytes fields = {0};
    put_number(&fields, TAG_STATUS, status);
    if (status != STATUS_OK) {
        put_string(&fields, TAG_MESSAGE, message);
    }
    if (fields.failed) {
        connection_break("the agent has no memory left for an answer");
    }
    connection_send(FRAME_CLOSE, 0, number, fields.data, fields.length);
    bytes_free(&fields);
}

static void forget(struct channel *channel) {
    channel->is_open = false;
    link_remove(&channel->bucket);
    link_remove(&channel->starved);
    bytes_free(&channel->records);
    channel->records_sent = 0;
    count--;
}

void channel_close(struct channel *channel, const struct bytes *fields) {
    if (channel->is_open) {
        forget(channel);
        if (fields != NULL) {
            channel_answer(channel->number, fields);
        }
    }
}

void channel_fail(struct channel *channel, enum status status, const char *message) {
    if (channel->is_open) {
        forget(channel);
        channel_refuse(channel->number, status, message);
    }
}

void channels_resume(void) {
    struct link turn;
    link_init(&turn);
    while (!link_alone(&starving)) {
        struct link *link = starving.next;
        link_remove(link);
        link_append(&turn, link);
    }
    while (!link_alone(&turn)) {
        struct channel *channel = CONTAINER(turn.next, struct channel, starved);
        link_remove(&channel->starved);
        send_records(channel);
        if (channel->kind->pump != NULL) {
            channel->kind->pump(channel);
        }
    }
}

static void take_data(struct channel *channel, unsigned stream, const uint8_t *bytes, uint32_t length) {
    if (stream >= STREAMS || (channel->kind->inputs & 1U << stream) == 0) {
        connection_break("data came on a stream that this request does not have");
    }
    if ((channel->ended & 1U << stream) != 0) {
        connection_break("data came after the end of its stream");
    }
    if (length > channel->receive_credit[stream]) {
        connection_break("more data came than credit was granted");
    }
    channel->receive_credit[stream] -= length;
    if (length > 0) {
        channel->kind->data(channel, bytes, length);
    }
}

static void data(struct channel *channel, const struct frame *frame) {
    take_data(channel, frame->stream, frame->payload, frame->length);
}

static void shared(struct channel *channel, const struct frame *frame) {
    if (!lanes_exist() || frame->length != SHARED_FRAME_BYTES) {
        connection_break("a SHARED frame has a position and a length, and memory that is shared");
    }
    uint32_t position = load_u32(frame->payload);
    uint32_t length = load_u32(frame->payload + 4);
    if (!channel->is_bulk || frame->stream != STREAM_CONTENT || length > LANE_BYTES || position > LANE_BYTES - length) {
        connection_break("shared data is content of a file, and lies in the lane");
    }
    if (!channel->is_shared) {
        channel->is_shared = true;
        grant(channel, frame->stream, SHARED_BYTES);
    }
    take_data(channel, frame->stream, lane_in() + position, length);
}

static void end(struct channel *channel, const struct frame *frame) {
    if (frame->stream >= STREAMS) {
        connection_break("the end came of a stream that does not exist");
    }
    unsigned bit = 1U << frame->stream;
    if ((channel->kind->inputs & bit) != 0 && (channel->ended & bit) == 0) {
        channel->ended |= bit;
        channel->kind->end(channel);
    }
}

static void credit(struct channel *channel, const struct frame *frame) {
    if (frame->length != 4 || frame->stream == STREAM_STDIN || frame->stream >= STREAMS) {
        connection_break("credit is 4 bytes, for a stream towards the host");
    }
    uint32_t granted = load_u32(frame->payload);
    uint32_t *have = &channel->send_credit[frame->stream];
    if (granted == 0 || granted > CREDIT_BYTES_MAX || *have > CREDIT_BYTES_MAX - granted) {
        connection_break("credit must be at least 1 and never exceed 2^30");
    }
    *have += granted;
    send_records(channel);
    if (channel->kind->pump != NULL) {
        channel->kind->pump(channel);
    }
}

static void control(struct channel *channel, const struct frame *frame) {
    if (!fields_check(frame->payload, frame->length)) {
        connection_break("the fields of a CONTROL frame are cut or too many");
    }
    if (channel->kind->control != NULL) {
        struct fields fields = {frame->payload, frame->length};
        channel->kind->control(channel, &fields);
    }
}

static void open(const struct frame *frame) {
    if (frame->channel == 0 || find(frame->channel) != NULL) {
        connection_break("a channel was opened that is in use");
    }
    if (count >= CHANNELS_MAX) {
        connection_break("more than 1024 channels");
    }
    if (frame->stream < 1 || frame->stream >= REQUEST_KINDS) {
        connection_break("a request is of a kind that does not exist");
    }
    if (!fields_check(frame->payload, frame->length)) {
        connection_break("the fields of an OPEN frame are cut or too many");
    }
    struct fields fields = {frame->payload, frame->length};
    if (fields_flag(&fields, TAG_MORE)) {
        more_begin((enum request_kind)frame->stream, frame->channel, &fields);
    } else {
        request_begin((enum request_kind)frame->stream, frame->channel, &fields);
    }
}

static void about_channel(const struct frame *frame) {
    struct channel *channel = find(frame->channel);
    if (channel == NULL) {
        return; // it crossed our CLOSE
    }
    switch (frame->type) {
    case FRAME_DATA:
        data(channel, frame);
        break;
    case FRAME_SHARED:
        shared(channel, frame);
        break;
    case FRAME_END:
        end(channel, frame);
        break;
    case FRAME_CREDIT:
        credit(channel, frame);
        break;
    case FRAME_CONTROL:
        control(channel, frame);
        break;
    default:
        if (!channel->is_silent) {
            channel_silence(channel);
            channel->kind->cancel(channel);
        }
    }
}

void channels_frame(const struct frame *frame) {
    if (!welcomed) {
        struct fields fields = {frame->payload, frame->length};
        uint64_t version = 0;
        if (frame->type == FRAME_GOODBYE) {
            agent_end(0);
        }
        if (frame->type != FRAME_WELCOME || !fields_check(frame->payload, frame->length)
            || fields_number(&fields, TAG_VERSION, &version) != FIELD_FOUND || version != PROTOCOL_VERSION) {
            connection_break("the first frame must be WELCOME of version 1");
        }
        welcomed = true;
        return;
    }
    switch (frame->type) {
    case FRAME_OPEN:
        open(frame);
        break;
    case FRAME_DATA:
    case FRAME_SHARED:
    case FRAME_END:
    case FRAME_CREDIT:
    case FRAME_CONTROL:
    case FRAME_CANCEL:
        about_channel(frame);
        break;
    case FRAME_PING:
        if (frame->length > PING_BYTES_MAX) {
            connection_break("a ping is longer than 64 bytes");
        }
        connection_send(FRAME_PONG, 0, 0, frame->payload, frame->length);
        break;
    case FRAME_WELCOME:
    case FRAME_PONG:
        break;
    case FRAME_GOODBYE:
        agent_end(0);
    case FRAME_HELLO:
    case FRAME_CLOSE:
        connection_break("a frame came that is the agent's to send");
    }
}
