#include "kernel.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024, READS_PER_TURN = 16 };

static void hang_up(struct kernel *kernel) {
    if (!kernel->is_deaf) {
        kernel->is_deaf = true;
        poller_want(&kernel->socket, 0);
        kernel->hung_up(kernel);
    }
}

static void want(struct kernel *kernel) {
    uint32_t events = (kernel->is_paused ? 0 : EPOLLIN) | (kernel->to_send.length > kernel->sent ? EPOLLOUT : 0);
    poller_want(&kernel->socket, kernel->is_deaf ? 0 : events);
}

// Hands over the records that are complete. False if what came is none.
static bool deliver(struct kernel *kernel) {
    size_t done = 0;
    bool good = true;
    while (good && !kernel->is_paused && kernel->in.length - done >= 4) {
        size_t length = load_u32(kernel->in.data + done);
        const uint8_t *content = kernel->in.data + done + 4;
        if (length > RECORD_BYTES_MAX) {
            good = false;
        } else if (kernel->in.length - done - 4 < length) {
            break;
        } else if (!fields_check(content, length)) {
            good = false;
        } else {
            struct fields fields = {content, length};
            done += 4 + length;
            kernel->record(kernel, &fields);
        }
    }
    bytes_drop(&kernel->in, done);
    return good;
}

// Returns false when nothing can come any more, or nothing has come now.
static bool take(struct kernel *kernel) {
    if (!bytes_reserve(&kernel->in, READ_BYTES)) {
        hang_up(kernel);
        return false;
    }
    ssize_t count = recv(kernel->socket.fd, kernel->in.data + kernel->in.length, READ_BYTES, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (count > 0) {
        // What it wrote to its streams before comes first.
        tap_drain(&kernel->out);
        tap_drain(&kernel->err);
        if (kernel->out.output != NULL && kernel->out.output->used > kernel->out.output->limit) {
            kernel->out.flooded(&kernel->out);
        }
        kernel->in.length += (size_t)count;
        if (deliver(kernel)) {
            return true;
        }
    }
    hang_up(kernel);
    return false;
}

static void flush(struct kernel *kernel) {
    while (kernel->to_send.length > kernel->sent) {
        ssize_t count = send(kernel->socket.fd, kernel->to_send.data + kernel->sent,
                             kernel->to_send.length - kernel->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN && errno != EINTR) {
            hang_up(kernel);
            return;
        }
        if (count <= 0) {
            break;
        }
        kernel->sent += (size_t)count;
    }
    if (kernel->sent == kernel->to_send.length) {
        bytes_free(&kernel->to_send);
        kernel->sent = 0;
    }
    want(kernel);
}

static void on_ready(struct poller *poller, uint32_t ready) {
    struct kernel *kernel = CONTAINER(poller, struct kernel, socket);
    if ((ready & EPOLLOUT) != 0) {
        flush(kernel);
    }
    if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !kernel->is_paused && !kernel->is_deaf) {
        take(kernel);
    }
}

static void on_moved(struct tap *tap) {
    (void)tap;
}

void kernel_init(struct kernel *kernel, int socket, int out, int err) {
    poller_init(&kernel->socket, socket, on_ready);
    tap_init(&kernel->out, out, STREAM_STDOUT, NULL, NULL);
    tap_init(&kernel->err, err, STREAM_STDERR, NULL, NULL);
    kernel->out.moved = kernel->err.moved = on_moved;
    kernel->out.flooded = kernel->err.flooded = on_moved;
    kernel->in = (struct bytes){0};
    kernel->to_send = (struct bytes){0};
    kernel->sent = 0;
    kernel->is_paused = false;
    kernel->is_deaf = false;
    want(kernel);
    tap_pump(&kernel->out);
    tap_pump(&kernel->err);
}

void kernel_send(struct kernel *kernel, const struct bytes *fields) {
    bytes_add_u32(&kernel->to_send, (uint32_t)fields->length);
    bytes_add(&kernel->to_send, fields->data, fields->length);
    if (fields->failed || kernel->to_send.failed) {
        hang_up(kernel);
    } else {
        flush(kernel);
    }
}

void kernel_pause(struct kernel *kernel, bool pause) {
    bool goes_on = kernel->is_paused && !pause;
    kernel->is_paused = pause;
    if (goes_on && !kernel->is_deaf && !deliver(kernel)) {
        hang_up(kernel);
        return;
    }
    want(kernel);
}

void kernel_drain(struct kernel *kernel) {
    kernel->is_paused = false;
    for (int i = 0; i < READS_PER_TURN && !kernel->is_deaf && take(kernel); i++) {
    }
}

void kernel_attach(struct kernel *kernel, struct channel *channel, struct output *output) {
    // What nobody asked for is not part of the next answer.
    if (channel != NULL) {
        tap_drain(&kernel->out);
        tap_drain(&kernel->err);
    }
    kernel->out.channel = kernel->err.channel = channel;
    kernel->out.output = kernel->err.output = output;
    tap_pump(&kernel->out);
    tap_pump(&kernel->err);
}

void kernel_close(struct kernel *kernel) {
    kernel->is_deaf = true;
    poller_close(&kernel->socket);
    tap_close(&kernel->out);
    tap_close(&kernel->err);
    bytes_free(&kernel->in);
    bytes_free(&kernel->to_send);
    kernel->sent = 0;
}
