#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent.h"
#include "fields.h"
#include "loop.h"

enum {
    // Data is queued while less than this waits; enough to keep the socket busy.
    ROOM_BYTES = 512 * 1024,
    // Producers go on when no more than this is left.
    RESUME_BYTES = 256 * 1024,
    // A host that asks and asks, and does not read the answers, is not listened to beyond this.
    ANSWERS_BYTES_MAX = 4 * 1024 * 1024,
    IN_BYTES = HEADER_BYTES + PAYLOAD_BYTES_MAX + 128 * 1024,
    SPARE_BLOCKS = 8,
    VECTORS = 16,
    // Who reads is woken once and not twice by a program that is over sooner.
    DEFER_MICROS = 2 * MILLISECOND,
    // Up to this a payload is copied behind the frame before it rather than given a block of its own.
    COPIED_BYTES_MAX = 4096,
};

static struct poller reader;
static struct poller writer;
static const struct connection_events *listeners;
static uint8_t in[IN_BYTES];
static size_t in_length;
static struct link queue;
static size_t queued;
// How much of it nobody waits for, at the end.
static size_t deferred;
static struct timer deferral;
static bool starved;
static struct link spare;
static int spare_count;

static void on_readable(struct poller *poller, uint32_t ready);
static void on_writable(struct poller *poller, uint32_t ready);
static void on_deferral(struct timer *timer);

bool connection_start(int in_fd, int out_fd, const struct connection_events *events) {
    listeners = events;
    link_init(&queue);
    link_init(&spare);
    poller_init(&reader, in_fd, on_readable);
    poller_init(&writer, out_fd, on_writable);
    timer_init(&deferral, on_deferral);
    return poller_want(&reader, EPOLLIN);
}

bool connection_has_room(void) {
    if (queued < ROOM_BYTES) {
        return true;
    }
    starved = true;
    return false;
}

struct block *connection_block(void) {
    struct block *block;
    if (spare_count > 0) {
        block = CONTAINER(spare.next, struct block, link);
        link_remove(&block->link);
        spare_count--;
    } else {
        block = malloc(sizeof *block);
        if (block == NULL) {
            return NULL;
        }
        link_init(&block->link);
    }
    block->start = 0;
    block->end = 0;
    return block;
}

void connection_return_block(struct block *block) {
    if (spare_count < SPARE_BLOCKS) {
        link_append(&spare, &block->link);
        spare_count++;
    } else {
        free(block);
    }
}

static struct block *last_with_room(size_t length) {
    if (link_alone(&queue)) {
        return NULL;
    }
    struct block *last = CONTAINER(queue.previous, struct block, link);
    return sizeof last->data - last->end >= length ? last : NULL;
}

void connection_send(enum frame_type type, uint16_t stream, uint32_t channel, const void *payload, size_t length) {
    struct block *block = last_with_room(HEADER_BYTES + length);
    if (block == NULL) {
        block = connection_block();
        if (block == NULL) {
            // Without this frame the host would wait for ever: better it knows at once.
            connection_break("the agent has no memory left for an answer");
        }
        link_append(&queue, &block->link);
    }
    frame_header(block->data + block->end, type, stream, channel, (uint32_t)length);
    block->end += HEADER_BYTES;
    if (length > 0) {
        memcpy(block->data + block->end, payload, length);
        block->end += length;
    }
    queued += HEADER_BYTES + length;
}

void connection_send_block(struct block *block, uint16_t stream, uint32_t channel, size_t length) {
    if (length <= COPIED_BYTES_MAX && last_with_room(HEADER_BYTES + length) != NULL) {
        connection_send(FRAME_DATA, stream, channel, block->data + HEADER_BYTES, length);
        connection_return_block(block);
        return;
    }
    frame_header(block->data, FRAME_DATA, stream, channel, (uint32_t)length);
    block->end = HEADER_BYTES + length;
    link_append(&queue, &block->link);
    queued += block->end;
}

static void written(size_t count) {
    queued -= count;
    while (count > 0) {
        struct block *block = CONTAINER(queue.next, struct block, link);
        size_t length = block->end - block->start;
        if (count < length) {
            block->start += count;
            return;
        }
        count -= length;
        link_remove(&block->link);
        connection_return_block(block);
    }
}

void connection_defer(size_t length) {
    if (queued == HEADER_BYTES + length) {
        deferred = queued;
        timer_set(&deferral, loop_now() + DEFER_MICROS);
    }
}

static void on_deferral(struct timer *timer) {
    (void)timer;
    deferred = 0; // connection_flush does it at the end of this turn
}

static bool write_queue(void) {
    deferred = 0;
    timer_stop(&deferral);
    while (!link_alone(&queue)) {
        struct iovec vectors[VECTORS];
        int count = 0;
        for (struct link *link = queue.next; link != &queue && count < VECTORS; link = link->next) {
            struct block *block = CONTAINER(link, struct block, link);
            vectors[count++] = (struct iovec){block->data + block->start, block->end - block->start};
        }
        ssize_t done = writev(writer.fd, vectors, count);
        if (done < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        written((size_t)done);
    }
    return true;
}

void connection_flush(void) {
    if ((link_alone(&queue) && !starved) || (deferred > 0 && queued == deferred)) {
        return;
    }
    if (!write_queue()) {
        listeners->lost();
        return;
    }
    if (starved && queued <= RESUME_BYTES) {
        starved = false;
        listeners->resume();
        if (!write_queue()) {
            listeners->lost();
            return;
        }
    }
    // The two pollers may be of one descriptor, which epoll takes only once.
    bool waiting = !link_alone(&queue);
    bool listening = queued < ANSWERS_BYTES_MAX;
    if (reader.fd == writer.fd) {
        poller_want(&reader, (listening ? EPOLLIN : 0) | (waiting ? EPOLLOUT : 0));
    } else {
        poller_want(&reader, listening ? EPOLLIN : 0);
        poller_want(&writer, waiting ? EPOLLOUT : 0);
    }
}

static void parse(void) {
    size_t done = 0;
    for (;;) {
        struct frame frame;
        const char *why = NULL;
        switch (frame_parse(in + done, in_length - done, &frame, &why)) {
        case FRAME_BROKEN:
            connection_break(why);
        case FRAME_COMPLETE:
            listeners->deliver(&frame);
            done += HEADER_BYTES + frame.length;
            continue;
        case FRAME_PARTIAL:
            break;
        }
        break;
    }
    in_length -= done;
    memmove(in, in + done, in_length);
}

static void on_readable(struct poller *poller, uint32_t ready) {
    if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) {
        return; // only writable: connection_flush does it at the end of this turn
    }
    ssize_t count = read(poller->fd, in + in_length, sizeof in - in_length);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        listeners->lost();
        return;
    }
    if (count > 0) {
        in_length += (size_t)count;
        parse();
    }
}

static void on_writable(struct poller *poller, uint32_t ready) {
    (void)poller;
    (void)ready; // connection_flush does it at the end of this turn
}

void connection_break(const char *why) {
    struct bytes fields = {0};
    put_string(&fields, TAG_MESSAGE, why);
    struct block *block = fields.failed ? NULL : connection_block();
    if (block != NULL) {
        frame_header(block->data, FRAME_GOODBYE, 0, 0, (uint32_t)fields.length);
        memcpy(block->data + HEADER_BYTES, fields.data, fields.length);
        block->end = HEADER_BYTES + fields.length;
        link_append(&queue, &block->link);
        queued += block->end;
        write_queue();
    }
    agent_end(1);
}
