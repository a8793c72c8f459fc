#include "proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys.h"
#include "template.h"

enum { PATH_BYTES = 768, TEXT_BYTES = 64 * 1024 };

int proc_files_processors(const sandbox_spec *spec) {
    long host = sysconf(_SC_NPROCESSORS_ONLN);
    long share = spec->cpu_millis > 0 ? (spec->cpu_millis + 999) / 1000 : host;
    return (int)(share < 1 ? 1 : share < host ? share : host);
}

void proc_files_pin(const sandbox_spec *spec, int turn) {
    long host = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = proc_files_processors(spec);
    cpu_set_t allowed;
    if (wanted >= host || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    int first = turn % (int)host;
    for (int i = 0; i < 2 * CPU_SETSIZE && CPU_COUNT(&chosen) < wanted; i++) {
        int processor = (first + i) % CPU_SETSIZE;
        if (CPU_ISSET(processor, &allowed)) {
            CPU_SET(processor, &chosen);
        }
    }
    (void)sched_setaffinity(0, sizeof chosen, &chosen);
}

static void meminfo(int64_t bytes, char *text, size_t size) {
    long long kib = bytes / 1024;
    format(text, size,
           "MemTotal:       %8lld kB\nMemFree:        %8lld kB\nMemAvailable:   %8lld kB\nBuffers:               0 kB\n"
           "Cached:                0 kB\nSwapCached:            0 kB\nActive:                0 kB\n"
           "Inactive:              0 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"
           "Dirty:                 0 kB\nWriteback:             0 kB\nAnonPages:             0 kB\n"
           "Mapped:                0 kB\nShmem:                 0 kB\nSlab:                  0 kB\n"
           "SReclaimable:          0 kB\nSUnreclaim:            0 kB\n",
           kib, kib, kib);
}

/* The blocks of the first processors of /proc/cpuinfo. */
static void cpuinfo(int processors, char *text, size_t size) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    size_t used = 0;
    char line[2048];
    int seen = 0;
    text[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "processor", 9) == 0 && ++seen > processors) {
            break;
        }
        size_t length = strlen(line);
        if (used + length + 1 > size) {
            break;
        }
        memcpy(text + used, line, length + 1);
        used += length;
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* Writes a file into the writable layer's file system, beside the layer, and shows it in place of another. */
static void replace(const plan *p, const char *name, const char *text, const char *target) {
    char source[PATH_BYTES];
    format(source, sizeof source, "%s/scratch/%s", template_mounts(), name);
    if (make_file(source, text, 0444) != 0 || mount(source, target, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, target, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "a file of /proc cannot be replaced");
    }
}

static void make_sys(const plan *p, const char *root, int processors) {
    static const char *const directories[] = {"devices", "devices/system", "devices/system/cpu"};
    static const char *const files[] = {"online", "possible", "present"};
    char path[PATH_BYTES];
    char range[32];
    format(path, sizeof path, "%s/sys", root);
    (void)make_directory(path, 0555);
    if (mount("sys", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=555,size=64k,nr_inodes=64") != 0) {
        plan_fail(p, "/sys cannot be mounted");
    }
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        format(path, sizeof path, "%s/sys/%s", root, directories[i]);
        if (make_directory(path, 0555) != 0) {
            plan_fail(p, "/sys cannot be filled");
        }
    }
    format(range, sizeof range, processors > 1 ? "0-%d\n" : "%d\n", processors - 1);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        format(path, sizeof path, "%s/sys/devices/system/cpu/%s", root, files[i]);
        if (make_file(path, range, 0444) != 0) {
            plan_fail(p, "/sys cannot be filled");
        }
    }
    format(path, sizeof path, "%s/sys", root);
    if (mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "/sys cannot be made read-only");
    }
}

void proc_files_show_memory(const plan *p) {
    char text[2048];
    if (p->spec->meminfo > 0) {
        meminfo(p->spec->meminfo, text, sizeof text);
        replace(p, "meminfo", text, "/proc/meminfo");
    }
}

void proc_files_show(const plan *p, const char *root) {
    char target[PATH_BYTES];
    static char text[TEXT_BYTES];
    int processors = proc_files_processors(p->spec);
    if (p->spec->memory_bytes > 0) {
        meminfo(p->spec->memory_bytes, text, sizeof text);
        format(target, sizeof target, "%s/proc/meminfo", root);
        replace(p, "meminfo", text, target);
    }
    cpuinfo(processors, text, sizeof text);
    format(target, sizeof target, "%s/proc/cpuinfo", root);
    replace(p, "cpuinfo", text, target);
    make_sys(p, root, processors);
}
