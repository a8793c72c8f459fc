#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64 };

static int epoll = -1;
static struct link timers;
static struct link tasks;
// The events of this turn: a poller that is removed meanwhile must not be called any more.
static struct epoll_event events[EVENTS];
static int events_count;

bool loop_start(void) {
    link_init(&timers);
    link_init(&tasks);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    return epoll >= 0;
}

int64_t loop_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void poller_init(struct poller *poller, int fd, void (*ready)(struct poller *, uint32_t)) {
    *poller = (struct poller){fd, 0, ready};
}

static void forget(const struct poller *poller) {
    for (int i = 0; i < events_count; i++) {
        if (events[i].data.ptr == poller) {
            events[i].data.ptr = NULL;
        }
    }
}

bool poller_want(struct poller *poller, uint32_t wanted) {
    if (poller->events == wanted || poller->fd < 0) {
        return true;
    }
    // A descriptor of which nothing is wanted is taken out altogether: epoll reports a hang-up always, and nobody
    // would be there to hear it.
    int operation = wanted == 0 ? EPOLL_CTL_DEL : poller->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    struct epoll_event event = {.events = wanted, .data.ptr = poller};
    if (epoll_ctl(epoll, operation, poller->fd, &event) < 0) {
        return false;
    }
    poller->events = wanted;
    if (wanted == 0) {
        forget(poller);
    }
    return true;
}

void poller_close(struct poller *poller) {
    if (poller->fd >= 0) {
        poller_want(poller, 0);
        close(poller->fd);
        poller->fd = -1;
    }
    poller->events = 0;
    forget(poller);
}

void timer_init(struct timer *timer, void (*fire)(struct timer *)) {
    link_init(&timer->link);
    timer->fire = fire;
}

void timer_set(struct timer *timer, int64_t due) {
    timer->due = due;
    if (link_alone(&timer->link)) {
        link_append(&timers, &timer->link);
    }
}

void timer_stop(struct timer *timer) {
    link_remove(&timer->link);
}

bool timer_is_set(const struct timer *timer) {
    return !link_alone(&timer->link);
}

void task_init(struct task *task, void (*run)(struct task *)) {
    link_init(&task->link);
    task->run = run;
}

void task_schedule(struct task *task) {
    if (link_alone(&task->link)) {
        link_append(&tasks, &task->link);
    }
}

void task_stop(struct task *task) {
    link_remove(&task->link);
}

// Milliseconds until something is due, rounded up; -1 if nothing is. There are few timers: a list will do.
static int patience(void) {
    if (!link_alone(&tasks)) {
        return 0;
    }
    int64_t first = INT64_MAX;
    for (struct link *link = timers.next; link != &timers; link = link->next) {
        const struct timer *timer = CONTAINER(link, struct timer, link);
        first = timer->due < first ? timer->due : first;
    }
    if (first == INT64_MAX) {
        return -1;
    }
    int64_t left = first - loop_now();
    return left <= 0 ? 0 : left > 3600000000 ? 3600000 : (int)((left + 999) / 1000);
}

// Fires one timer after the other, because each may set, stop and free others.
static void fire_timers(void) {
    int64_t now = loop_now();
    struct link *link = timers.next;
    while (link != &timers) {
        struct timer *timer = CONTAINER(link, struct timer, link);
        link = link->next;
        if (timer->due <= now) {
            timer_stop(timer);
            timer->fire(timer);
            link = timers.next;
        }
    }
}

// Runs what was scheduled before this turn; what is scheduled meanwhile waits for the next.
static void run_tasks(void) {
    struct link turn;
    link_init(&turn);
    while (!link_alone(&tasks)) {
        struct link *link = tasks.next;
        link_remove(link);
        link_append(&turn, link);
    }
    while (!link_alone(&turn)) {
        struct task *task = CONTAINER(turn.next, struct task, link);
        link_remove(&task->link);
        task->run(task);
    }
}

void loop_run(void (*after)(void)) {
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, patience());
        events_count = count < 0 ? 0 : count;
        if (count < 0 && errno != EINTR) {
            abort();
        }
        for (int i = 0; i < events_count; i++) {
            struct poller *poller = events[i].data.ptr;
            if (poller != NULL) {
                poller->ready(poller, events[i].events);
            }
        }
        events_count = 0;
        fire_timers();
        run_tasks();
        after();
    }
}
