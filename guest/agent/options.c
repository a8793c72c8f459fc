#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options options = {
    .use_stem = true,
    .oom = -1,
    .memory_usage = -1,
    .memory_peak = -1,
    .cpu_usage = -1,
    .lanes = -1,
    .root_allowed = true,
    .user = "user",
    .kernels = "/opt/glovebox/kernels",
};

static void __attribute__((noreturn)) complain(const char *option, const char *what) {
    fprintf(stderr, "glovebox-agent: %s %s\n", option, what);
    exit(USAGE_STATUS);
}

static uint64_t number(const char *option, const char *text, uint64_t max) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > max) {
        complain(option, "needs a number that is in range");
    }
    return value;
}

static int descriptor(const char *option, const char *text) {
    int fd = (int)number(option, text, 1 << 20);
    if (fd < 3 || fcntl(fd, F_GETFD) < 0) {
        complain(option, "needs an open descriptor above 2");
    }
    return fd;
}

static bool flag(const char *option, const char *text) {
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0) {
        complain(option, "is yes or no");
    }
    return text[0] == 'y';
}

// The program is read as a whole now, because each workload process loads it when it can read nothing any more.
static void read_filter(const char *option, int fd) {
    static struct sock_filter program[BPF_MAXINSNS];
    size_t length = 0;
    ssize_t count;
    while ((count = read(fd, (char *)program + length, sizeof program - length)) > 0) {
        length += (size_t)count;
    }
    if (count < 0 || length == 0 || length % sizeof program[0] != 0 || length == sizeof program) {
        complain(option, "does not hold a seccomp program");
    }
    close(fd);
    options.filter = (struct sock_fprog){(unsigned short)(length / sizeof program[0]), program};
}

// Options with a value.
static bool valued(const char *option, const char *value) {
    if (strcmp(option, "--join") == 0) {
        if (options.join_count == JOINS_MAX) {
            complain(option, "stands there too often");
        }
        options.joins[options.join_count++] = descriptor(option, value);
    } else if (strcmp(option, "--oom") == 0) {
        options.oom = descriptor(option, value);
    } else if (strcmp(option, "--memory-usage") == 0) {
        options.memory_usage = descriptor(option, value);
    } else if (strcmp(option, "--memory-peak") == 0) {
        options.memory_peak = descriptor(option, value);
    } else if (strcmp(option, "--cpu-usage") == 0) {
        options.cpu_usage = descriptor(option, value);
    } else if (strcmp(option, "--lanes") == 0) {
        options.lanes = descriptor(option, value);
    } else if (strcmp(option, "--memory-limit") == 0) {
        options.memory_limit = number(option, value, INT64_MAX);
    } else if (strcmp(option, "--filter") == 0) {
        read_filter(option, descriptor(option, value));
    } else if (strcmp(option, "--user") == 0) {
        options.user = value;
    } else if (strcmp(option, "--kernels") == 0) {
        options.kernels = value;
    } else if (strcmp(option, "--kernel-socket") == 0) {
        options.kernel_socket = value;
    } else if (strcmp(option, "--root-allowed") == 0) {
        options.root_allowed = flag(option, value);
    } else {
        return false;
    }
    return true;
}

void options_read(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--keep-privileges") == 0) {
            options.keep_privileges = true;
        } else if (strcmp(argv[i], "--no-stem") == 0) {
            options.use_stem = false;
        } else if (strcmp(argv[i], "--set-clock") == 0) {
            options.set_clock = true;
        } else if (i + 1 >= argc || !valued(argv[i], argv[i + 1])) {
            complain(argv[i], "is not an option, or lacks its value");
        } else {
            i++;
        }
    }
    options.use_stem = options.use_stem && options.join_count > 0;
}
