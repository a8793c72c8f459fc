#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys.h"
#include "users.h"

enum { PATH_BYTES = 768, TTY_GROUP = 5 };

static const struct {
    const char *name;
    unsigned major;
    unsigned minor;
} DEVICES[] = {
    {"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0},
};

static const struct {
    const char *name;
    const char *target;
} LINKS[] = {
    {"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
};

/* Nodes of our own: those of the host would show how large its memory is. */
static void make(const plan *p, const char *root, size_t i) {
    char path[PATH_BYTES];
    format(path, sizeof path, "%s/dev/%s", root, DEVICES[i].name);
    if (mknod(path, S_IFCHR | 0666, makedev(DEVICES[i].major, DEVICES[i].minor)) != 0 || chmod(path, 0666) != 0) {
        plan_fail(p, "a device cannot be made");
    }
}

void devices_make(const plan *p, const char *root) {
    char path[PATH_BYTES];
    char options[128];
    format(path, sizeof path, "%s/dev", root);
    (void)make_directory(path, 0755);
    if (mount("dev", path, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k,nr_inodes=64") != 0) {
        plan_fail(p, "/dev cannot be mounted");
    }
    for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++) {
        make(p, root, i);
    }
    for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++) {
        format(path, sizeof path, "%s/dev/%s", root, LINKS[i].name);
        if (symlink(LINKS[i].target, path) != 0) {
            plan_fail(p, "a link in /dev cannot be made");
        }
    }
    format(path, sizeof path, "%s/dev/pts", root);
    format(options, sizeof options, "newinstance,ptmxmode=0666,mode=0620,gid=%u", users_root(p->slot) + TTY_GROUP);
    if (make_directory(path, 0755) != 0 || mount("devpts", path, "devpts", MS_NOSUID | MS_NOEXEC, options) != 0) {
        plan_fail(p, "/dev/pts cannot be mounted");
    }
    format(path, sizeof path, "%s/dev/shm", root);
    if (make_directory(path, 01777) != 0 ||
        mount("shm", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777,size=64m,nr_inodes=4096") != 0) {
        plan_fail(p, "/dev/shm cannot be mounted");
    }
    format(path, sizeof path, "%s/dev", root);
    if (mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "/dev cannot be made read-only");
    }
}
