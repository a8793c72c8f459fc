#include "tap.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "connection.h"

enum { DRAIN_BLOCKS_MAX = 16 };

enum taken { TAKEN_NOTHING, TAKEN_SOME, TAKEN_TOO_MUCH, TAKEN_END };

static enum taken over(struct tap *tap, int error) {
    tap->is_over = true;
    tap->owed = 0;
    // The other end of a terminal that closes is an error to the kernel, and an end to everybody else.
    tap->error = error == EIO ? 0 : error;
    poller_want(&tap->poller, 0);
    return TAKEN_END;
}

static enum taken read_once(struct tap *tap, struct block *block, size_t most, size_t *length) {
    ssize_t count = read(tap->poller.fd, block->data + HEADER_BYTES, most);
    *length = count > 0 ? (size_t)count : 0;
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return TAKEN_NOTHING;
    }
    if (count <= 0) {
        return over(tap, count < 0 ? errno : 0);
    }
    tap->owed -= tap->owed < *length ? tap->owed : *length;
    return TAKEN_SOME;
}

static enum taken take(struct tap *tap) {
    size_t most = tap->channel == NULL ? PAYLOAD_BYTES_MAX : channel_allowance(tap->channel, tap->stream);
    if (most == 0 || tap->is_over) {
        return TAKEN_NOTHING;
    }
    struct block *block = connection_block();
    if (block == NULL) {
        return TAKEN_NOTHING;
    }
    size_t length;
    enum taken taken = read_once(tap, block, most, &length);
    if (taken == TAKEN_SOME && tap->output != NULL && tap->channel != NULL) {
        uint64_t room = tap->output->used < tap->output->limit ? tap->output->limit - tap->output->used : 0;
        tap->output->used += length;
        if (length > room) {
            length = (size_t)room;
            taken = TAKEN_TOO_MUCH;
        }
    }
    if (length > 0 && tap->channel != NULL) {
        channel_send_block(tap->channel, tap->stream, block, length);
    } else {
        connection_return_block(block);
    }
    return taken;
}

static void on_ready(struct poller *poller, uint32_t ready) {
    struct tap *tap = CONTAINER(poller, struct tap, poller);
    (void)ready;
    switch (take(tap)) {
    case TAKEN_NOTHING:
        tap_pump(tap);
        break;
    case TAKEN_TOO_MUCH:
        tap->flooded(tap);
        break;
    case TAKEN_SOME:
    case TAKEN_END:
        tap_pump(tap);
        tap->moved(tap);
        break;
    }
}

void tap_init(struct tap *tap, int fd, unsigned stream, struct channel *channel, struct output *output) {
    poller_init(&tap->poller, fd, on_ready);
    tap->channel = channel;
    tap->stream = stream;
    tap->output = output;
    tap->is_over = fd < 0;
    tap->error = 0;
    tap->owed = 0;
}

void tap_pump(struct tap *tap) {
    bool may = !tap->is_over && (tap->channel == NULL || channel_allowance(tap->channel, tap->stream) > 0);
    poller_want(&tap->poller, may ? EPOLLIN : 0);
}

void tap_drain(struct tap *tap) {
    for (int i = 0; i < DRAIN_BLOCKS_MAX && take(tap) == TAKEN_SOME; i++) {
    }
}

void tap_settle(struct tap *tap) {
    int waiting = 0;
    tap->owed = !tap->is_over && ioctl(tap->poller.fd, FIONREAD, &waiting) == 0 && waiting > 0 ? (size_t)waiting : 0;
}

void tap_close(struct tap *tap) {
    poller_close(&tap->poller);
    tap->is_over = true;
    tap->owed = 0;
}
