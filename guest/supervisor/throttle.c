#include "throttle.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "disk.h"
#include "sys.h"

enum { PATH_BYTES = 640, TEXT_BYTES = 160 };

static void write_rule(const char *directory, const char *what, unsigned disk_major, unsigned disk_minor,
                       int64_t number) {
    char path[PATH_BYTES];
    char text[TEXT_BYTES];
    if (format(path, sizeof path, "%s/blkio.throttle.%s_device", directory, what) &&
        format(text, sizeof text, "%u:%u %lld", disk_major, disk_minor, (long long)number)) {
        (void)write_text(path, text);
    }
}

void throttle_reads(const char *directory, unsigned disk_major, unsigned disk_minor, rates bound) {
    write_rule(directory, "read_bps", disk_major, disk_minor, bound.bytes);
    write_rule(directory, "read_iops", disk_major, disk_minor, bound.operations);
}

void throttle_device(const char *directory, unsigned disk_major, unsigned disk_minor, rates bound) {
    throttle_reads(directory, disk_major, disk_minor, bound);
    write_rule(directory, "write_bps", disk_major, disk_minor, bound.bytes);
    write_rule(directory, "write_iops", disk_major, disk_minor, bound.operations);
}

static bool put(char *text, const char *name, int64_t number) {
    return number == 0 ? format(text, TEXT_BYTES, "%s=max", name)
                       : format(text, TEXT_BYTES, "%s=%lld", name, (long long)number);
}

void throttle_io_max(const char *path, unsigned disk_major, unsigned disk_minor, rates bound, bool writes) {
    static const char *const names[] = {"rbps", "riops", "wbps", "wiops"};
    for (int i = 0; i < (writes ? 4 : 2); i++) {
        char rule[TEXT_BYTES];
        char text[TEXT_BYTES + 32];
        if (put(rule, names[i], i % 2 == 0 ? bound.bytes : bound.operations) &&
            format(text, sizeof text, "%u:%u %s", disk_major, disk_minor, rule)) {
            (void)write_text(path, text);
        }
    }
}

/* Bounds are for whole disks, and a file may be on a partition. */
bool throttle_disk_of(const char *path, unsigned *disk_major, unsigned *disk_minor) {
    char entry[PATH_BYTES];
    struct stat status;
    if (path == NULL || stat(path, &status) != 0) {
        return false;
    }
    *disk_major = major(status.st_dev);
    *disk_minor = minor(status.st_dev);
    format(entry, sizeof entry, "/sys/dev/block/%u:%u/partition", *disk_major, *disk_minor);
    if (access(entry, F_OK) != 0) {
        return *disk_major != 0; /* 0: memory, a network, or several disks */
    }
    format(entry, sizeof entry, "/sys/dev/block/%u:%u/../dev", *disk_major, *disk_minor);
    FILE *file = fopen(entry, "re");
    bool known = file != NULL && fscanf(file, "%u:%u", disk_major, disk_minor) == 2;
    if (file != NULL) {
        fclose(file);
    }
    return known;
}

void throttle_forget_dead(const char *directory) {
    char path[PATH_BYTES];
    unsigned disk_major;
    unsigned disk_minor;
    format(path, sizeof path, "%s/blkio.throttle.write_bps_device", directory);
    FILE *file = fopen(path, "re");
    while (file != NULL && fscanf(file, "%u:%u %*u", &disk_major, &disk_minor) == 2) {
        format(path, sizeof path, "/sys/block/loop%u/loop", disk_minor);
        if (disk_major == DISK_MAJOR && access(path, F_OK) != 0) {
            throttle_device(directory, disk_major, disk_minor, (rates){0});
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}
