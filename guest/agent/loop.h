// The event loop: descriptors that become ready, timers, and tasks that run once per turn. One thread, no locks.
#ifndef GLOVEBOX_LOOP_H
#define GLOVEBOX_LOOP_H

#include <stdint.h>
#include <sys/epoll.h>

#include "list.h"

// A descriptor that somebody waits for. `ready` may remove or free any poller, its own too.
struct poller {
    int fd;
    uint32_t events;
    void (*ready)(struct poller *poller, uint32_t events);
};

// Fires once. Times are those of loop_now.
struct timer {
    struct link link;
    int64_t due;
    void (*fire)(struct timer *timer);
};

// Work that is cut into pieces so that it does not hold others up: one piece per turn.
struct task {
    struct link link;
    void (*run)(struct task *task);
};

enum { MILLISECOND = 1000 };

bool loop_start(void);
// Runs until the program exits. `after` runs at the end of each turn.
void loop_run(void (*after)(void)) __attribute__((noreturn));
// Microseconds of the monotonic clock; fresh at each call.
int64_t loop_now(void);

void poller_init(struct poller *poller, int fd, void (*ready)(struct poller *, uint32_t));
// Waits for these events from now on; for none if 0. False if the kernel has no room.
bool poller_want(struct poller *poller, uint32_t events);
// Waits no longer and closes the descriptor, if there is one.
void poller_close(struct poller *poller);

void timer_init(struct timer *timer, void (*fire)(struct timer *));
void timer_set(struct timer *timer, int64_t due);
void timer_stop(struct timer *timer);
bool timer_is_set(const struct timer *timer);

void task_init(struct task *task, void (*run)(struct task *));
void task_schedule(struct task *task);
void task_stop(struct task *task);

#endif
