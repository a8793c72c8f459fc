#include "freeze.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "channel.h"
#include "job.h"
#include "loop.h"

enum { ROUNDS = 20 };

// Those that were stopped here. Others were stopped by the guest itself, and stay so.
static struct process_info *stopped;
static size_t stopped_count;
static bool frozen;
static int64_t since;
static int64_t total;

bool is_frozen(void) {
    return frozen;
}

int64_t frozen_micros(void) {
    return total + (frozen ? loop_now() - since : 0);
}

static void mark_job(struct job *job, void *context) {
    struct snapshot *snapshot = context;
    struct snapshot all = *snapshot;
    bool *before = calloc(all.count + 1, sizeof *before);
    if (before == NULL) {
        return;
    }
    // snapshot_mark sorts: the second call finds the order of the first.
    for (size_t i = 0; i < all.count; i++) {
        before[i] = all.list[i].is_member;
    }
    snapshot_mark(snapshot, job->pid, job->tag, job->has_exited);
    for (size_t i = 0; i < all.count; i++) {
        all.list[i].is_member = all.list[i].is_member || before[i];
    }
    free(before);
}

static bool remember(const struct process_info *info) {
    struct process_info *list = realloc(stopped, (stopped_count + 1) * sizeof *list);
    if (list == NULL) {
        return false;
    }
    stopped = list;
    stopped[stopped_count++] = *info;
    return true;
}

// Stops what runs; false if nothing did.
static bool stop_once(void) {
    struct snapshot snapshot;
    bool found = false;
    if (!snapshot_take(&snapshot)) {
        return false;
    }
    snapshot_mark(&snapshot, -1, 0, false); // sorts, and marks nobody
    for (size_t i = 0; i < snapshot.count; i++) {
        // The first process of a sandbox sees nobody but its workload.
        snapshot.list[i].is_member = getpid() == 1;
    }
    if (getpid() != 1) {
        jobs_each(mark_job, &snapshot);
    }
    for (size_t i = 0; i < snapshot.count; i++) {
        const struct process_info *info = &snapshot.list[i];
        bool runs = info->state != 'T' && info->state != 't' && info->state != 'Z' && info->state != 'X';
        if (info->is_member && runs && remember(info)) {
            kill(info->pid, SIGSTOP);
            found = true;
        }
    }
    snapshot_free(&snapshot);
    return found;
}

void freeze_request(uint32_t number) {
    if (!frozen) {
        frozen = true;
        since = loop_now();
        for (int round = 0; round < ROUNDS && stop_once(); round++) {
        }
    }
    sync();
    channel_refuse(number, STATUS_OK, NULL);
}

void thaw_request(uint32_t number) {
    struct snapshot snapshot;
    if (frozen && snapshot_take(&snapshot)) {
        for (size_t i = 0; i < stopped_count; i++) {
            for (size_t j = 0; j < snapshot.count; j++) {
                // The same process, and not another one that got its number.
                if (snapshot.list[j].pid == stopped[i].pid && snapshot.list[j].began == stopped[i].began) {
                    kill(stopped[i].pid, SIGCONT);
                }
            }
        }
        snapshot_free(&snapshot);
    }
    if (frozen) {
        total += loop_now() - since;
        frozen = false;
    }
    free(stopped);
    stopped = NULL;
    stopped_count = 0;
    channel_refuse(number, STATUS_OK, NULL);
}
