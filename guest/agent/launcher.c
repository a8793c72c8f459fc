#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "stem.h"

static struct link launches;
// Those that the stem's socket had no room for.
static struct timer asking;
static uint32_t last_id;

enum { ASK_AGAIN_MILLIS = 2 };

static void on_asking(struct timer *timer);

void launcher_start(void) {
    link_init(&launches);
    timer_init(&asking, on_asking);
}

static void close_all(int fds[LAUNCH_FDS]) {
    for (int i = 0; i < LAUNCH_FDS; i++) {
        // Standard output and standard error may be one descriptor, a terminal's.
        for (int j = i + 1; j < LAUNCH_FDS; j++) {
            if (fds[j] == fds[i]) {
                fds[j] = -1;
            }
        }
        if (fds[i] >= 0) {
            close(fds[i]);
            fds[i] = -1;
        }
    }
}

static void finish(struct launch *launch, enum launch_stage stage, int error) {
    link_remove(&launch->link);
    poller_close(&launch->status);
    close_all(launch->fds);
    bytes_free(&launch->block);
    launch->done(launch, stage, error);
}

// Reads what the child says about its start, if it has come so far. `closed` is known to be so if the child is dead.
static void look(struct launch *launch) {
    struct launch_failure failure;
    ssize_t count = read(launch->status.fd, &failure, sizeof failure);
    if (count == (ssize_t)sizeof failure) {
        finish(launch, (enum launch_stage)failure.stage, failure.error);
    } else if (count >= 0) {
        stem_settle();
        finish(launch, launch->pid > 0 ? STAGE_STARTED : STAGE_LOST, 0);
    }
}

static void on_status(struct poller *poller, uint32_t ready) {
    (void)ready;
    look(CONTAINER(poller, struct launch, status));
}

void launcher_dead(struct launch *launch) {
    if (!link_alone(&launch->link)) {
        look(launch);
    }
}

static void born(struct launch *launch, pid_t pid) {
    launch->pid = pid;
    if (launch->born != NULL) {
        launch->born(launch);
    }
}

static bool ask(struct launch *launch) {
    if (!stem_ask(launch->id, &launch->block, launch->fds)) {
        timer_set(&asking, loop_now() + ASK_AGAIN_MILLIS * MILLISECOND);
        return false;
    }
    close_all(launch->fds);
    bytes_free(&launch->block);
    return true;
}

static void on_asking(struct timer *timer) {
    (void)timer;
    for (struct link *link = launches.next; link != &launches; link = link->next) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        if (launch->fds[LAUNCH_STATUS] >= 0 && !ask(launch)) {
            return;
        }
    }
}

bool launcher_begin(struct launch *launch, const struct launch_plan *plan, const int fds[LAUNCH_FDS]) {
    int status[2] = {-1, -1};
    link_init(&launch->link);
    launch->block = (struct bytes){0};
    launch->pid = 0;
    launch->id = ++last_id == 0 ? ++last_id : last_id;
    for (int i = 0; i < LAUNCH_FDS; i++) {
        launch->fds[i] = i == LAUNCH_STATUS ? -1 : fds[i];
    }
    bool ok = pipe2(status, O_CLOEXEC | O_NONBLOCK) == 0;
    poller_init(&launch->status, status[0], on_status);
    launch->fds[LAUNCH_STATUS] = status[1];
    ok = ok && launch_encode(plan, &launch->block) && poller_want(&launch->status, EPOLLIN);
    if (!ok) {
        int error = errno;
        poller_close(&launch->status);
        close_all(launch->fds);
        bytes_free(&launch->block);
        errno = error;
        return false;
    }
    link_append(&launches, &launch->link);
    if (options.use_stem) {
        ask(launch);
        return true;
    }
    pid_t pid = fork();
    if (pid == 0) {
        launch_child(launch->block.data, launch->block.length, launch->fds, -1, 0);
    }
    if (pid < 0) {
        int error = errno;
        link_remove(&launch->link);
        poller_close(&launch->status);
        close_all(launch->fds);
        bytes_free(&launch->block);
        errno = error;
        return false;
    }
    close_all(launch->fds);
    bytes_free(&launch->block);
    born(launch, pid);
    return true;
}

void launcher_report(uint32_t id, pid_t pid) {
    for (struct link *link = launches.next; link != &launches; link = link->next) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        if (launch->id != id) {
            continue;
        }
        if (pid < 0) {
            finish(launch, STAGE_SETUP, EAGAIN); // the workload's group is full of processes
        } else {
            born(launch, pid);
        }
        return;
    }
}

void launcher_stem_lost(void) {
    struct link *link = launches.next;
    while (link != &launches) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        link = link->next;
        if (launch->fds[LAUNCH_STATUS] < 0 && launch->pid == 0) {
            finish(launch, STAGE_LOST, 0);
            link = launches.next;
        }
    }
}
