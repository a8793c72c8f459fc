#include "connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "feed.h"
#include "tap.h"

enum { PATIENCE_SECONDS = 10 };

struct conduit {
    struct channel channel;
    uint16_t port;
    bool is_second_try;
    bool is_connected;
    // Waits for the connection; afterwards the feed and the tap have descriptors of their own.
    struct poller connecting;
    struct timer patience;
    struct tap tap;
    struct feed feed;
    bool said_end;
};

static void discard(struct conduit *link) {
    timer_stop(&link->patience);
    poller_close(&link->connecting);
    if (link->is_connected) {
        tap_close(&link->tap);
        feed_close(&link->feed);
    } else {
        bytes_free(&link->feed.pending);
    }
    free(link);
}

static void finish(struct conduit *link, enum status status, const char *message) {
    channel_fail(&link->channel, status, message);
    discard(link);
}

// Over when both directions are, or when the guest broke it off: then no END came before the CLOSE.
static void check(struct conduit *link) {
    if (link->tap.is_over && link->tap.error == 0 && !link->said_end) {
        link->said_end = true;
        channel_send_end(&link->channel, STREAM_CONTENT);
    }
    if (link->tap.is_over && (link->tap.error != 0 || link->feed.is_over)) {
        finish(link, STATUS_OK, NULL);
    }
}

static void on_moved(struct tap *tap) {
    check(CONTAINER(tap, struct conduit, tap));
}

static void on_feed_over(struct feed *feed) {
    check(CONTAINER(feed, struct conduit, feed));
}

static void on_data(struct channel *channel, const uint8_t *data, size_t length) {
    struct conduit *link = CONTAINER(channel, struct conduit, channel);
    if (link->is_connected) {
        feed_data(&link->feed, data, length);
    } else {
        bytes_add(&link->feed.pending, data, length); // at most the first credit
    }
}

static void on_end(struct channel *channel) {
    struct conduit *link = CONTAINER(channel, struct conduit, channel);
    if (link->is_connected) {
        feed_finish(&link->feed);
    } else {
        link->feed.has_end = true;
    }
}

static void on_pump(struct channel *channel) {
    struct conduit *link = CONTAINER(channel, struct conduit, channel);
    if (link->is_connected) {
        tap_pump(&link->tap);
    }
}

static void on_cancel(struct channel *channel) {
    finish(CONTAINER(channel, struct conduit, channel), STATUS_CANCELLED, "cancelled by the host");
}

static const struct channel_kind kind_connect = {
    .inputs = 1U << STREAM_CONTENT,
    .data = on_data,
    .end = on_end,
    .pump = on_pump,
    .cancel = on_cancel,
};

static void connected(struct conduit *link) {
    struct bytes early = link->feed.pending;
    bool has_end = link->feed.has_end;
    struct bytes record = {0};
    int on = 1;
    int fd = link->connecting.fd;
    poller_want(&link->connecting, 0);
    link->connecting.fd = -1;
    timer_stop(&link->patience);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    link->is_connected = true;
    tap_init(&link->tap, fd, STREAM_CONTENT, &link->channel, NULL);
    link->tap.moved = on_moved;
    feed_init(&link->feed, fcntl(fd, F_DUPFD_CLOEXEC, 3), STREAM_CONTENT, &link->channel, FEED_SHUTS_DOWN);
    link->feed.over = on_feed_over;
    put_number(&record, TAG_STARTED, 1);
    channel_record(&link->channel, &record);
    bytes_free(&record);
    if (link->feed.poller.fd < 0) {
        bytes_free(&early);
        finish(link, STATUS_TOO_MANY, "too many files are open");
        return;
    }
    tap_pump(&link->tap);
    // With both, feed_data may be the end of it all; so the end is noted before.
    if (early.length > 0 && !has_end) {
        feed_data(&link->feed, early.data, early.length);
    } else if (has_end) {
        bytes_add(&link->feed.pending, early.data, early.length);
        feed_finish(&link->feed);
    }
    bytes_free(&early);
}

static bool begin(struct conduit *link);

static void refused(struct conduit *link) {
    poller_close(&link->connecting);
    if (!link->is_second_try) {
        link->is_second_try = true;
        if (begin(link)) {
            return;
        }
    }
    finish(link, STATUS_NOT_FOUND, "nothing listens on this port");
}

static void on_connecting(struct poller *poller, uint32_t ready) {
    struct conduit *link = CONTAINER(poller, struct conduit, connecting);
    int error = 0;
    socklen_t length = sizeof error;
    (void)ready;
    if (getsockopt(poller->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 || error != 0) {
        refused(link);
    } else {
        connected(link);
    }
}

static void on_patience(struct timer *timer) {
    finish(CONTAINER(timer, struct conduit, patience), STATUS_NOT_FOUND, "the port does not answer");
}

// First over IPv4, then over IPv6. False if it has failed at once.
static bool begin(struct conduit *link) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(link->port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(link->port)};
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    v6.sin6_addr = in6addr_loopback;
    int family = link->is_second_try ? AF_INET6 : AF_INET;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    poller_init(&link->connecting, fd, on_connecting);
    if (fd < 0) {
        return false;
    }
    int result = link->is_second_try ? connect(fd, (const struct sockaddr *)&v6, sizeof v6)
                                     : connect(fd, (const struct sockaddr *)&v4, sizeof v4);
    return (result == 0 || errno == EINPROGRESS) && poller_want(&link->connecting, EPOLLOUT);
}

void connect_request(uint32_t number, const struct fields *fields) {
    uint64_t port = 0;
    if (fields_number(fields, TAG_PORT, &port) != FIELD_FOUND || port < 1 || port > 65535) {
        channel_refuse(number, STATUS_INVALID, "PORT is 1 to 65535");
        return;
    }
    struct conduit *link = calloc(1, sizeof *link);
    if (link == NULL) {
        channel_refuse(number, STATUS_FAILED, "there is no memory for this");
        return;
    }
    link->port = (uint16_t)port;
    timer_init(&link->patience, on_patience);
    channel_open(&link->channel, number, &kind_connect);
    timer_set(&link->patience, loop_now() + (int64_t)PATIENCE_SECONDS * 1000 * MILLISECOND);
    if (!begin(link)) {
        refused(link);
    }
}
