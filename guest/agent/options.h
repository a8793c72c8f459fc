// The command line.
#ifndef GLOVEBOX_OPTIONS_H
#define GLOVEBOX_OPTIONS_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

enum { JOINS_MAX = 16, USAGE_STATUS = 64 };

struct options {
    int joins[JOINS_MAX];
    int join_count;
    bool use_stem;
    // Files of the workload's cgroup, or -1.
    int oom;
    int memory_usage;
    int memory_peak;
    int cpu_usage;
    // Memory that is shared with the host; -1: none.
    int lanes;
    // Bound of all workload processes together where no cgroup enforces one; 0 is none.
    uint64_t memory_limit;
    struct sock_fprog filter;
    bool keep_privileges;
    bool root_allowed;
    bool set_clock;
    const char *user;
    const char *kernels;
    const char *kernel_socket;
};

extern struct options options;

// Fills `options`, or says what is wrong on standard error and exits with USAGE_STATUS.
void options_read(int argc, char **argv);

#endif
