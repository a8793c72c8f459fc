#include "feed.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

static void become_over(struct feed *feed) {
    if (feed->is_over) {
        return;
    }
    feed->is_over = true;
    // Who waits for credit need not wait for a reader that is gone.
    channel_consumed(feed->channel, feed->stream, feed->pending.length - feed->sent);
    bytes_free(&feed->pending);
    feed->sent = 0;
    if (feed->at_end == FEED_SHUTS_DOWN) {
        shutdown(feed->poller.fd, SHUT_WR);
        poller_want(&feed->poller, 0);
    } else {
        poller_close(&feed->poller);
    }
    if (feed->over != NULL) {
        feed->over(feed);
    }
}

// A terminal has no end of input but the character that means it.
static void type_end(struct feed *feed) {
    struct termios terminal;
    uint8_t end = 4;
    if (tcgetattr(feed->poller.fd, &terminal) == 0 && terminal.c_cc[VEOF] != 0) {
        end = terminal.c_cc[VEOF];
    }
    bytes_add_u8(&feed->pending, end);
}

static void flush(struct feed *feed) {
    while (feed->pending.length > feed->sent) {
        ssize_t count = write(feed->poller.fd, feed->pending.data + feed->sent, feed->pending.length - feed->sent);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            poller_want(&feed->poller, EPOLLOUT);
            return;
        }
        if (count <= 0) {
            become_over(feed);
            return;
        }
        feed->sent += (size_t)count;
        channel_consumed(feed->channel, feed->stream, (size_t)count);
    }
    bytes_clear(&feed->pending);
    feed->sent = 0;
    poller_want(&feed->poller, 0);
    if (feed->has_end) {
        become_over(feed);
    }
}

static void on_ready(struct poller *poller, uint32_t ready) {
    (void)ready;
    flush(CONTAINER(poller, struct feed, poller));
}

void feed_init(struct feed *feed, int fd, unsigned stream, struct channel *channel, enum feed_end at_end) {
    poller_init(&feed->poller, fd, on_ready);
    feed->channel = channel;
    feed->stream = stream;
    feed->at_end = at_end;
    feed->pending = (struct bytes){0};
    feed->sent = 0;
    feed->has_end = false;
    feed->is_over = fd < 0;
}

void feed_data(struct feed *feed, const uint8_t *data, size_t length) {
    if (feed->is_over) {
        channel_consumed(feed->channel, feed->stream, length);
        return;
    }
    if (feed->sent > 0 && feed->sent >= feed->pending.length / 2) {
        bytes_drop(&feed->pending, feed->sent);
        feed->sent = 0;
    }
    bytes_add(&feed->pending, data, length);
    if (feed->pending.failed) {
        become_over(feed);
        return;
    }
    if (feed->poller.events == 0) {
        flush(feed);
    }
}

void feed_finish(struct feed *feed) {
    if (feed->is_over || feed->has_end) {
        return;
    }
    if (feed->at_end == FEED_TYPES_END) {
        type_end(feed);
    }
    feed->has_end = true;
    if (feed->poller.events == 0) {
        flush(feed);
    }
}

void feed_close(struct feed *feed) {
    poller_close(&feed->poller);
    bytes_free(&feed->pending);
    feed->is_over = true;
}
