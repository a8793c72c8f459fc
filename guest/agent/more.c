#include "more.h"

#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "request.h"

struct more {
    struct channel channel;
    enum request_kind kind;
    struct bytes fields;
    // Received and not yet cut into records.
    struct bytes raw;
    // All that came, to bound it.
    size_t total;
};

static void discard(struct more *more) {
    bytes_free(&more->fields);
    bytes_free(&more->raw);
    free(more);
}

// Moves the content of whole records over, so that no byte is held twice.
static void cut(struct more *more) {
    size_t done = 0;
    while (more->raw.length - done >= 4) {
        size_t length = load_u32(more->raw.data + done);
        if (length > RECORD_BYTES_MAX) {
            connection_break("a record is longer than 16 MiB");
        }
        if (more->raw.length - done - 4 < length) {
            break;
        }
        bytes_add(&more->fields, more->raw.data + done + 4, length);
        done += 4 + length;
    }
    bytes_drop(&more->raw, done);
}

static void on_data(struct channel *channel, const uint8_t *data, size_t length) {
    struct more *more = (struct more *)channel;
    more->total += length;
    if (more->total > MORE_BYTES_MAX) {
        connection_break("the fields of a request are longer than 34 MiB");
    }
    bytes_add(&more->raw, data, length);
    if (!more->raw.failed) {
        cut(more);
    }
    channel_consumed(channel, STREAM_RECORDS, length);
}

static void on_end(struct channel *channel) {
    struct more *more = (struct more *)channel;
    uint32_t number = channel->number;
    if (more->raw.failed || more->fields.failed) {
        channel_fail(channel, STATUS_FAILED, "there is no memory for the fields of this request");
        discard(more);
        return;
    }
    if (more->raw.length > 0 || !fields_check(more->fields.data, more->fields.length)) {
        connection_break("the records of a request are cut, or are no fields");
    }
    channel_close(channel, NULL);
    struct fields fields = {more->fields.data, more->fields.length};
    request_begin(more->kind, number, &fields);
    discard(more);
}

static void on_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard((struct more *)channel);
}

static const struct channel_kind kind_more = {
    .inputs = 1U << STREAM_RECORDS,
    .data = on_data,
    .end = on_end,
    .cancel = on_cancel,
};

void more_begin(enum request_kind kind, uint32_t number, const struct fields *first) {
    struct more *more = calloc(1, sizeof *more);
    if (more == NULL) {
        connection_break("the agent has no memory left");
    }
    more->kind = kind;
    bytes_add(&more->fields, first->data, first->length);
    channel_open(&more->channel, number, &kind_more);
}
