#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"
#include "sys.h"

enum { PATH_BYTES = 768 };

/* Files of /proc that tell about the host or reach into it: shown empty. */
static const char *const MASKED[] = {
    "kcore",       "keys",     "key-users", "kmsg",        "kpagecount", "kpageflags", "kpagecgroup",
    "sched_debug", "slabinfo", "sysrq-trigger", "timer_list", "timer_stats", "latency_stats", "config.gz",
    "kallsyms",    "modules",  "interrupts", "softirqs",   "iomem",      "ioports",    "vmallocinfo",
    "zoneinfo",    "pagetypeinfo", "buddyinfo", "diskstats", "swaps",    "mdstat",     "cmdline",
};
/* Directories of /proc: shown as they are, but never writable; or empty. */
static const char *const READ_ONLY[] = {"sys", "irq", "bus", "fs", "mtrr", "dynamic_debug"};
static const char *const EMPTY[] = {"acpi", "scsi", "asound", "driver", "tty", "pressure", "sysvipc"};

static void mask_file(const plan *p, const char *root, const char *name) {
    char path[PATH_BYTES];
    char null[PATH_BYTES];
    format(path, sizeof path, "%s/proc/%s", root, name);
    format(null, sizeof null, "%s/dev/null", root);
    if (mount(null, path, NULL, MS_BIND, NULL) != 0 && errno != ENOENT && errno != ENOTDIR) {
        plan_fail(p, "a file of /proc cannot be masked");
    }
}

static void make_read_only(const plan *p, const char *root, const char *name) {
    char path[PATH_BYTES];
    format(path, sizeof path, "%s/proc/%s", root, name);
    if (mount(path, path, NULL, MS_BIND, NULL) != 0) {
        if (errno == ENOENT) {
            return;
        }
        plan_fail(p, "a directory of /proc cannot be bound");
    }
    if (mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "a directory of /proc cannot be made read-only");
    }
}

static void make_empty(const plan *p, const char *root, const char *name) {
    char path[PATH_BYTES];
    format(path, sizeof path, "%s/proc/%s", root, name);
    if (mount("none", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555") != 0 &&
        errno != ENOENT && errno != ENOTDIR) {
        plan_fail(p, "a directory of /proc cannot be emptied");
    }
}

void mounts_base(const plan *p, const char *root) {
    char path[PATH_BYTES];
    format(path, sizeof path, "%s/proc", root);
    (void)make_directory(path, 0555);
    if (mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "/proc cannot be mounted");
    }
    devices_make(p, root);
    for (size_t i = 0; i < sizeof MASKED / sizeof *MASKED; i++) {
        mask_file(p, root, MASKED[i]);
    }
    for (size_t i = 0; i < sizeof READ_ONLY / sizeof *READ_ONLY; i++) {
        make_read_only(p, root, READ_ONLY[i]);
    }
    for (size_t i = 0; i < sizeof EMPTY / sizeof *EMPTY; i++) {
        make_empty(p, root, EMPTY[i]);
    }
}
