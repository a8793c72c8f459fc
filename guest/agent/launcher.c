#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options.h"
#include "stem.h"

// As many as there can be jobs.
enum { PLACES = 320, ASK_AGAIN_MILLIS = 2 };

static struct link launches;
// Those that the stem's socket had no room for.
static struct timer asking;
static uint32_t last_id;
static struct launch_fate *fates;
static bool taken[PLACES];

static void on_asking(struct timer *timer);
static void on_over(struct task *task);

bool launcher_start(void) {
    link_init(&launches);
    timer_init(&asking, on_asking);
    fates = mmap(NULL, PLACES * sizeof *fates, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return fates != MAP_FAILED;
}

struct launch_fate *launcher_fate(uint32_t place) {
    return &fates[place < PLACES ? place : 0];
}

static bool take_place(uint32_t *place) {
    for (uint32_t i = 0; i < PLACES; i++) {
        if (!taken[i]) {
            taken[i] = true;
            fates[i] = (struct launch_fate){0};
            *place = i;
            return true;
        }
    }
    errno = EAGAIN;
    return false;
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

static void leave(struct launch *launch) {
    link_remove(&launch->link);
    task_stop(&launch->over);
    close_all(launch->fds);
    bytes_free(&launch->block);
    taken[launch->place] = false;
}

static void finish(struct launch *launch, enum launch_stage stage, int error) {
    leave(launch);
    launch->done(launch, stage, error);
}

static void born(struct launch *launch, pid_t pid) {
    if (launch->pid == 0) {
        launch->pid = pid;
        if (launch->born != NULL) {
            launch->born(launch);
        }
    }
}

void launcher_look(void) {
    for (struct link *link = launches.next; link != &launches; link = link->next) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        pid_t pid = __atomic_load_n(&fates[launch->place].pid, __ATOMIC_ACQUIRE);
        if (pid > 0) {
            born(launch, pid);
        }
    }
}

static bool ask(struct launch *launch) {
    if (!stem_ask(launch->id, launch->place, &launch->block, launch->fds)) {
        timer_set(&asking, loop_now() + ASK_AGAIN_MILLIS * MILLISECOND);
        return false;
    }
    close_all(launch->fds);
    bytes_free(&launch->block);
    return true;
}

static bool has_asked(const struct launch *launch) {
    return launch->fds[LAUNCH_STDOUT] < 0;
}

static void on_asking(struct timer *timer) {
    (void)timer;
    for (struct link *link = launches.next; link != &launches; link = link->next) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        if (!has_asked(launch) && !ask(launch)) {
            return;
        }
    }
}

// Without a stem a launch is over when it has begun; whoever began it hears of it when this turn ends.
static void on_over(struct task *task) {
    struct launch *launch = CONTAINER(task, struct launch, over);
    struct launch_fate fate = fates[launch->place];
    finish(launch, (enum launch_stage)fate.stage, fate.error);
}

static bool spawn(struct launch *launch) {
    pid_t pid = launch_spawn(launch->block.data, launch->block.length, launch->fds, false, &fates[launch->place]);
    if (pid < 0) {
        return false;
    }
    close_all(launch->fds);
    bytes_free(&launch->block);
    born(launch, pid);
    task_schedule(&launch->over);
    return true;
}

bool launcher_begin(struct launch *launch, const struct launch_plan *plan, const int fds[LAUNCH_FDS]) {
    link_init(&launch->link);
    task_init(&launch->over, on_over);
    launch->block = (struct bytes){0};
    launch->pid = 0;
    launch->id = ++last_id == 0 ? ++last_id : last_id;
    memcpy(launch->fds, fds, sizeof launch->fds);
    if (!take_place(&launch->place)) {
        close_all(launch->fds);
        return false;
    }
    link_append(&launches, &launch->link);
    bool ok = launch_encode(plan, &launch->block);
    if (ok && options.use_stem) {
        ask(launch);
    } else if (!ok || !spawn(launch)) {
        int error = ok ? errno : ENOMEM;
        leave(launch);
        errno = error;
        return false;
    }
    return true;
}

void launcher_report(uint32_t id, const struct launch_fate *fate) {
    for (struct link *link = launches.next; link != &launches; link = link->next) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        if (launch->id != id) {
            continue;
        }
        if (fate->pid < 0) {
            finish(launch, STAGE_SETUP, EAGAIN); // the workload's group is full of processes
        } else {
            born(launch, fate->pid);
            finish(launch, (enum launch_stage)fate->stage, fate->error);
        }
        return;
    }
}

void launcher_stem_lost(void) {
    struct link *link = launches.next;
    launcher_look();
    while (link != &launches) {
        struct launch *launch = CONTAINER(link, struct launch, link);
        link = link->next;
        if (has_asked(launch)) {
            // One that exists may run its program; if it does not, its end says so.
            const struct launch_fate *fate = &fates[launch->place];
            bool is_alive = launch->pid > 0 && fate->stage == STAGE_STARTED;
            finish(launch, is_alive ? STAGE_STARTED : STAGE_LOST, 0);
            link = launches.next;
        }
    }
}
