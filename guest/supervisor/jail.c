#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "privileges.h"
#include "proc_files.h"
#include "roots.h"
#include "sys.h"
#include "zygote.h"

enum { ARGUMENTS_MAX = 48, NUMBER_BYTES = 24 };

/* The agent's command line is made here: numbers of descriptors that are open in this child only. */
typedef struct {
    char *list[ARGUMENTS_MAX + 1];
    char numbers[ARGUMENTS_MAX][NUMBER_BYTES];
    int count;
} arguments;

static void add(const plan *p, arguments *args, const char *text) {
    if (args->count == ARGUMENTS_MAX) {
        plan_fail(p, "the agent's command line is too long");
    }
    args->list[args->count++] = (char *)(uintptr_t)text;
}

static void keep_open(const plan *p, int fd) {
    if (fcntl(fd, F_SETFD, 0) != 0) {
        plan_fail(p, "a descriptor cannot be handed to the agent");
    }
}

static void add_descriptor(const plan *p, arguments *args, const char *option, int fd) {
    if (fd < 0) {
        return;
    }
    keep_open(p, fd);
    char *number = args->numbers[args->count];
    snprintf(number, NUMBER_BYTES, "%d", fd);
    add(p, args, option);
    add(p, args, number);
}

/* A file of its own for each agent: they would share one place to read from. */
static int reopen(const plan *p, int fd) {
    char path[64];
    format(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDONLY | O_CLOEXEC);
    if (own < 0) {
        plan_fail(p, "the filter cannot be opened");
    }
    return own;
}

static void start_loopback(const plan *p) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0) {
        plan_fail(p, "the loopback interface cannot be started");
    }
    close(fd);
}

static void put_in_place(const plan *p, int from, int to) {
    if (dup2(from, to) < 0) {
        plan_fail(p, "the agent's stream cannot be put in place");
    }
}

void jail_become(const plan *p) {
    char *environment[] = {(char *)(uintptr_t)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                           NULL};
    arguments args = {.count = 0};
    add(p, &args, "glovebox-agent");
    for (int i = 0; i < p->join_count; i++) {
        add_descriptor(p, &args, "--join", p->joins[i]);
    }
    add_descriptor(p, &args, "--oom", p->oom);
    add_descriptor(p, &args, "--memory-usage", p->memory_usage);
    add_descriptor(p, &args, "--memory-peak", p->memory_peak);
    add_descriptor(p, &args, "--cpu-usage", p->cpu_usage);
    add_descriptor(p, &args, "--lanes", p->lanes);
    add_descriptor(p, &args, "--filter", reopen(p, p->filter));
    if (p->warm) {
        add(p, &args, "--kernel-socket");
        add(p, &args, ZYGOTE_KERNEL_SOCKET);
    }
    for (int i = 0; p->spec->arguments[i] != NULL; i++) {
        add(p, &args, p->spec->arguments[i]);
    }
    start_loopback(p);
    if (sethostname(p->spec->hostname, strlen(p->spec->hostname)) != 0) {
        plan_fail(p, "the host name cannot be set");
    }
    /* Before the root changes: then /sys tells about the sandbox only. */
    proc_files_pin(p->spec, p->slot);
    roots_enter_template(p);
    privileges_limit(p);
    privileges_enter_users(p);
    privileges_keep_agents(p);
    plan_die_with_supervisor(p);
    put_in_place(p, p->stream, STDIN_FILENO);
    put_in_place(p, p->stream, STDOUT_FILENO);
    syscall(SYS_execveat, p->agent, "", args.list, environment, AT_EMPTY_PATH);
    plan_fail(p, "the agent cannot be started");
}
