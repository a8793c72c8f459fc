#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "sys.h"
#include "throttle.h"

#define ROOT "/sys/fs/cgroup"
#define IO_ROOT ROOT "/blkio"
/* Whoever is the last in a template takes it down with its whole cache on the way out, which has taken 650 ms on a busy
 * machine: three seconds. */
enum { PATH_BYTES = 256, LEFTOVER_TRIES = 1500, PERIOD_MICROS = 100000 };

typedef struct {
    char base[PATH_BYTES]; /* <mount>/glovebox/<instance> */
    bool memory, pids, cpu, account, io;
} hierarchy;

static hierarchy hierarchies[CGROUP_HIERARCHIES_MAX];
static int count;
static bool unified;

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static const hierarchy *with(size_t offset) {
    for (int i = 0; i < count; i++) {
        if (*(const bool *)((const char *)&hierarchies[i] + offset)) {
            return &hierarchies[i];
        }
    }
    return NULL;
}

#define WITH(what) with(offsetof(hierarchy, what))

static void pause_briefly(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
}

static void kill_members(const char *directory) {
    char path[PATH_BYTES + 32];
    format(path, sizeof path, "%s/cgroup.procs", directory);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    int pid;
    while (fscanf(file, "%d", &pid) == 1) {
        if (pid > 0) { /* a member that is not to be seen from here is shown as 0, which would be ourselves */
            kill(pid, SIGKILL);
        }
    }
    fclose(file);
}

/* What a supervisor that was killed left: its processes are dying, its groups stay. */
static void remove_leftovers(const char *base) {
    DIR *directory = opendir(base);
    if (directory == NULL) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char path[PATH_BYTES + 300];
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') {
            continue;
        }
        format(path, sizeof path, "%s/%s", base, entry->d_name);
        for (int i = 0; i < LEFTOVER_TRIES && rmdir(path) != 0 && errno == EBUSY; i++) {
            kill_members(path);
            pause_briefly();
        }
    }
    closedir(directory);
}

/* Instances are named <home>-<pid of the server>. One of our home whose server is gone was killed with it. */
static void remove_dead_instances(const char *parent, const char *instance) {
    const char *dash = strrchr(instance, '-');
    size_t home = dash == NULL ? 0 : (size_t)(dash - instance) + 1;
    DIR *directory = home == 0 ? NULL : opendir(parent);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[PATH_BYTES + 300];
        if (strncmp(entry->d_name, instance, home) != 0 || strcmp(entry->d_name, instance) == 0) {
            continue;
        }
        int pid = atoi(entry->d_name + home);
        if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH) {
            continue;
        }
        format(path, sizeof path, "%s/%s", parent, entry->d_name);
        remove_leftovers(path);
        (void)rmdir(path);
    }
    if (directory != NULL) {
        closedir(directory);
    }
}

static int add(const char *mount, const char *instance) {
    hierarchy *one = &hierarchies[count];
    char parent[PATH_BYTES];
    if (!format(parent, sizeof parent, "%s/glovebox", mount) ||
        !format(one->base, sizeof one->base, "%s/%s", parent, instance)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (make_directory(parent, 0755) != 0) {
        return -1;
    }
    if (unified) {
        char control[PATH_BYTES + 32];
        format(control, sizeof control, "%s/cgroup.subtree_control", mount);
        (void)write_text(control, "+memory +pids +cpu");
        (void)write_text(control, "+io");
        format(control, sizeof control, "%s/cgroup.subtree_control", parent);
        (void)write_text(control, "+memory +pids +cpu");
        (void)write_text(control, "+io");
    }
    if (make_directory(one->base, 0755) != 0) {
        return -1;
    }
    if (unified) {
        char control[PATH_BYTES + 32];
        format(control, sizeof control, "%s/cgroup.subtree_control", one->base);
        if (write_text(control, "+memory +pids +cpu") != 0) {
            return -1;
        }
        (void)write_text(control, "+io");
    }
    remove_dead_instances(parent, instance);
    remove_leftovers(one->base);
    count++;
    return 0;
}

static bool has_memory_controller(void) {
    char text[512] = "";
    int fd = open(ROOT "/cgroup.controllers", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t length = read(fd, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        close(fd);
    }
    return strstr(text, "memory") != NULL && strstr(text, "pids") != NULL;
}

const char *cgroup_init(const char *instance) {
    unified = has_memory_controller();
    if (unified) {
        if (add(ROOT, instance) != 0) {
            return "the control group /sys/fs/cgroup/glovebox cannot be made: the server needs to be root, or to have "
                   "a group delegated";
        }
        hierarchies[0].memory = hierarchies[0].pids = hierarchies[0].cpu = hierarchies[0].account = hierarchies[0].io = true;
        return NULL;
    }
    static const struct {
        const char *mount;
        size_t offset;
    } wanted[] = {
        {ROOT "/memory", offsetof(hierarchy, memory)},
        {ROOT "/pids", offsetof(hierarchy, pids)},
        {ROOT "/cpu", offsetof(hierarchy, cpu)},
        {ROOT "/cpuacct", offsetof(hierarchy, account)},
        {ROOT "/blkio", offsetof(hierarchy, io)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char probe[PATH_BYTES];
        format(probe, sizeof probe, "%s/cgroup.procs", wanted[i].mount);
        if (!exists(probe)) {
            continue;
        }
        if (add(wanted[i].mount, instance) != 0) {
            return "control groups cannot be made below /sys/fs/cgroup: the server needs to be root";
        }
        *(bool *)((char *)&hierarchies[count - 1] + wanted[i].offset) = true;
    }
    if (WITH(io) != NULL) {
        throttle_forget_dead(IO_ROOT);
    }
    return WITH(memory) == NULL || WITH(pids) == NULL
               ? "the host mounts no control groups for memory and pids below /sys/fs/cgroup"
               : NULL;
}

bool cgroup_available(void) {
    return WITH(memory) != NULL && WITH(pids) != NULL;
}

static bool file_of(char *path, size_t size, const hierarchy *one, const cgroup *group, const char *file) {
    return one != NULL && format(path, size, "%s/%s/%s", one->base, group->id, file);
}

static int set(const hierarchy *one, const cgroup *group, const char *file, int64_t number) {
    char path[2 * PATH_BYTES];
    return file_of(path, sizeof path, one, group, file) ? write_number(path, number) : 0;
}

static rates rates_of(const sandbox_spec *spec) {
    return (rates){spec->io_bytes, spec->io_operations};
}

static int set_cpu(const cgroup *group, int64_t millis) {
    int64_t quota = millis * PERIOD_MICROS / 1000;
    if (!unified) {
        return set(WITH(cpu), group, "cpu.cfs_quota_us", quota);
    }
    char path[2 * PATH_BYTES];
    char text[64];
    format(text, sizeof text, "%lld %d", (long long)quota, PERIOD_MICROS);
    return file_of(path, sizeof path, WITH(cpu), group, "cpu.max") ? write_text(path, text) : 0;
}

static int set_memory(const cgroup *group, int64_t bytes) {
    if (!unified) {
        return set(WITH(memory), group, "memory.limit_in_bytes", bytes);
    }
    /* A host without swap has no such file. */
    (void)set(WITH(memory), group, "memory.swap.max", 0);
    return set(WITH(memory), group, "memory.max", bytes);
}

int cgroup_limit(const cgroup *group, const sandbox_spec *spec) {
    if (!group->made) {
        return 0;
    }
    if (spec->memory_bytes > 0 && set_memory(group, spec->memory_bytes) != 0) {
        return -1;
    }
    if (spec->pids > 0 && set(WITH(pids), group, "pids.max", spec->pids) != 0) {
        return -1;
    }
    return spec->cpu_millis > 0 ? set_cpu(group, spec->cpu_millis) : 0;
}

void cgroup_bound_disk(const cgroup *group, unsigned major, unsigned minor, const sandbox_spec *spec) {
    char path[2 * PATH_BYTES];
    rates bound = rates_of(spec);
    if (WITH(io) == NULL) {
        return;
    }
    if (!unified) {
        /* What the kernel writes later it does as the root group, and a bound there is none for the groups below. */
        throttle_device(IO_ROOT, major, minor, bound);
        (void)file_of(path, sizeof path, WITH(io), group, "");
        throttle_device(path, major, minor, bound);
    } else if (file_of(path, sizeof path, WITH(io), group, "io.max")) {
        throttle_io_max(path, major, minor, bound, true);
    }
}

void cgroup_unbound_disk(unsigned major, unsigned minor) {
    if (!unified && WITH(io) != NULL) {
        throttle_device(IO_ROOT, major, minor, (rates){0});
    }
}

void cgroup_bound_template(const cgroup *group, const char *image, const sandbox_spec *spec) {
    char path[2 * PATH_BYTES];
    rates bound = rates_of(spec);
    unsigned major;
    unsigned minor;
    if (WITH(io) == NULL || !throttle_disk_of(image, &major, &minor)) {
        return;
    }
    if (!unified) {
        (void)file_of(path, sizeof path, WITH(io), group, "");
        throttle_reads(path, major, minor, bound);
    } else if (file_of(path, sizeof path, WITH(io), group, "io.max")) {
        throttle_io_max(path, major, minor, bound, false);
    }
}

int cgroup_make(cgroup *group, const char *id, const sandbox_spec *spec) {
    format(group->id, sizeof group->id, "%s", id);
    for (int i = 0; i < count; i++) {
        char path[2 * PATH_BYTES];
        format(path, sizeof path, "%s/%s", hierarchies[i].base, id);
        if (mkdir(path, 0755) != 0) {
            return -1;
        }
        group->made = true;
    }
    return cgroup_limit(group, spec);
}

int cgroup_open_joins(const cgroup *group, int fds[CGROUP_HIERARCHIES_MAX]) {
    if (!group->made) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        char path[2 * PATH_BYTES];
        file_of(path, sizeof path, &hierarchies[i], group, "cgroup.procs");
        fds[i] = open(path, O_WRONLY | O_CLOEXEC);
        if (fds[i] < 0) {
            int failure = errno;
            while (i-- > 0) {
                close(fds[i]);
            }
            errno = failure;
            return -1;
        }
    }
    return count;
}

static int open_file(const hierarchy *one, const cgroup *group, const char *v1, const char *v2) {
    char path[2 * PATH_BYTES];
    if (!group->made || !file_of(path, sizeof path, one, group, unified ? v2 : v1)) {
        return -1;
    }
    return open(path, O_RDONLY | O_CLOEXEC);
}

int cgroup_open_oom(const cgroup *group) {
    return open_file(WITH(memory), group, "memory.oom_control", "memory.events");
}

int cgroup_open_memory_usage(const cgroup *group) {
    return open_file(WITH(memory), group, "memory.usage_in_bytes", "memory.current");
}

int cgroup_open_memory_peak(const cgroup *group) {
    return open_file(WITH(memory), group, "memory.max_usage_in_bytes", "memory.peak");
}

int cgroup_open_cpu_usage(const cgroup *group) {
    return open_file(WITH(account), group, "cpuacct.usage", "cpu.stat");
}

int64_t cgroup_oom_kills(const cgroup *group) {
    char text[512];
    int fd = cgroup_open_oom(group);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, "oom_kill ");
    return line == NULL ? 0 : strtoll(line + strlen("oom_kill "), NULL, 10);
}

void cgroup_kill(const cgroup *group) {
    for (int i = 0; group->made && i < count; i++) {
        char path[2 * PATH_BYTES];
        format(path, sizeof path, "%s/%s", hierarchies[i].base, group->id);
        kill_members(path);
    }
}

bool cgroup_remove(cgroup *group) {
    bool gone = true;
    for (int i = 0; group->made && i < count; i++) {
        char path[2 * PATH_BYTES];
        format(path, sizeof path, "%s/%s", hierarchies[i].base, group->id);
        gone &= rmdir(path) == 0 || errno == ENOENT;
    }
    group->made = !gone;
    return gone;
}

bool cgroup_end(void) {
    bool last = true;
    for (int i = 0; i < count; i++) {
        (void)rmdir(hierarchies[i].base);
        char *slash = strrchr(hierarchies[i].base, '/');
        *slash = '\0';
        /* Another server of this host may have groups there: then it stays. */
        last &= rmdir(hierarchies[i].base) == 0;
    }
    return last;
}
