#include "metrics.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "channel.h"
#include "context.h"
#include "job.h"
#include "options.h"
#include "process.h"
#include "settings.h"

static bool read_text(int fd, char *text, size_t size) {
    ssize_t length = fd < 0 ? -1 : pread(fd, text, size - 1, 0);
    text[length < 0 ? 0 : length] = '\0';
    return length > 0;
}

static bool read_bytes(int fd, uint64_t *value) {
    char text[64];
    if (!read_text(fd, text, sizeof text) || text[0] < '0' || text[0] > '9') {
        return false;
    }
    *value = strtoull(text, NULL, 10);
    return true;
}

// cgroup v1 counts nanoseconds in a file of their own, v2 microseconds in a line.
static bool read_cpu(uint64_t *micros) {
    char text[1024];
    if (!read_text(options.cpu_usage, text, sizeof text)) {
        return false;
    }
    const char *line = strstr(text, "usage_usec ");
    if (line != NULL) {
        *micros = strtoull(line + 11, NULL, 10);
    } else if (text[0] >= '0' && text[0] <= '9') {
        *micros = strtoull(text, NULL, 10) / 1000;
    } else {
        return false;
    }
    return true;
}

struct sum {
    uint64_t cpu;
    uint64_t memory;
};

static void add_job(struct job *job, void *context) {
    struct sum *sum = context;
    sum->cpu += job_cpu(job);
    sum->memory += job_memory(job);
}

// Without a cgroup: what has ended, and what still runs.
static void count_jobs(struct sum *sum) {
    struct rusage ended;
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0) {
        sum->cpu = (uint64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000000
            + (uint64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
    }
    jobs_each(add_job, sum);
}

static void put_disk(struct bytes *close) {
    struct statvfs root;
    if (statvfs("/", &root) == 0) {
        put_number(close, TAG_USED_DISK_BYTES, (root.f_blocks - root.f_bfree) * root.f_frsize);
        put_number(close, TAG_USED_FILES, root.f_files - root.f_ffree);
        put_number(close, TAG_DISK_BYTES, root.f_blocks * root.f_frsize);
        put_number(close, TAG_FILE_COUNT, root.f_files);
    }
}

void metrics_request(uint32_t number) {
    struct bytes close = {0};
    struct sum sum = {0};
    uint64_t peak = 0;
    bool has_cpu = read_cpu(&sum.cpu);
    bool has_memory = read_bytes(options.memory_usage, &sum.memory);
    if (!has_cpu || !has_memory) {
        struct sum counted = {0};
        count_jobs(&counted);
        sum.cpu = has_cpu ? sum.cpu : counted.cpu;
        sum.memory = has_memory ? sum.memory : counted.memory;
    }
    put_number(&close, TAG_STATUS, STATUS_OK);
    put_number(&close, TAG_USED_CPU_MICROS, sum.cpu);
    put_number(&close, TAG_USED_MEMORY_BYTES, sum.memory);
    if (read_bytes(options.memory_peak, &peak)) {
        put_number(&close, TAG_PEAK_MEMORY_BYTES, peak);
    }
    put_disk(&close);
    put_number(&close, TAG_RUNNING, processes_running() + executions_running());
    put_number(&close, TAG_QUEUED, executions_waiting());
    channel_answer(number, &close);
    bytes_free(&close);
}
