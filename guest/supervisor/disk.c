#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys.h"

/* Others of the host take devices as well: the one that the kernel says is free may be gone. */
enum { TRIES_MAX = 64, PATH_BYTES = 512, BLOCK_BYTES = 4096 };

/* Of ext4, as of XFS before it; in no header. */
#define IOC_SHUTDOWN _IOR('X', 125, uint32_t)
enum { SHUTDOWN_WITHOUT_LOG = 2 };

static int copy_piece(int from, int to, off_t start, off_t end) {
    if (lseek(to, start, SEEK_SET) < 0) {
        return -1;
    }
    while (start < end) {
        ssize_t count = sendfile(to, from, &start, (size_t)(end - start));
        if (count <= 0) {
            errno = count == 0 ? EIO : errno;
            return -1;
        }
    }
    return 0;
}

/* Only what is written in it: an empty file system of any size has a few hundred kilobytes. */
static int copy(int from, int to) {
    struct stat status;
    if (fstat(from, &status) != 0 || ftruncate(to, status.st_size) != 0) {
        return -1;
    }
    off_t end = 0;
    for (;;) {
        off_t start = lseek(from, end, SEEK_DATA);
        if (start < 0) {
            return errno == ENXIO ? 0 : -1;
        }
        end = lseek(from, start, SEEK_HOLE);
        if (end < 0 || copy_piece(from, to, start, end) != 0) {
            return -1;
        }
    }
}

/* A file without a name beside the image, with the same content. */
static int open_copy(const char *image) {
    char directory[PATH_BYTES];
    char *slash = format(directory, sizeof directory, "%s", image) ? strrchr(directory, '/') : NULL;
    if (slash == NULL || slash == directory) {
        errno = EINVAL;
        return -1;
    }
    *slash = '\0';
    int from = open(image, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int to = from < 0 ? -1 : open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (to >= 0 && copy(from, to) != 0) {
        int failure = errno;
        close(to);
        to = -1;
        errno = failure;
    }
    if (from >= 0) {
        int failure = errno;
        close(from);
        errno = failure;
    }
    return to;
}

static int configure(int device, int file) {
    struct loop_config config = {.fd = (unsigned)file, .block_size = BLOCK_BYTES};
    /* Directly: what is written is in the sandbox's cache already, and counts as its memory. */
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    if (ioctl(device, LOOP_CONFIGURE, &config) == 0) {
        return 0;
    }
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    return errno == EINVAL ? ioctl(device, LOOP_CONFIGURE, &config) : -1;
}

static int attach(disk *made, int control, int file) {
    for (int i = 0; i < TRIES_MAX; i++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        if (number < 0) {
            return -1;
        }
        format(made->path, sizeof made->path, "/dev/loop%d", number);
        made->number = (unsigned)number;
        made->device = open(made->path, O_RDWR | O_CLOEXEC);
        if (made->device >= 0 && configure(made->device, file) == 0) {
            return 0;
        }
        int failure = errno;
        disk_let_go(made);
        if (failure != EBUSY) {
            errno = failure;
            return -1;
        }
    }
    errno = EBUSY;
    return -1;
}

const char *disk_make(disk *made, const char *image) {
    int file = open_copy(image);
    if (file < 0) {
        return "the sandbox's disk cannot be made";
    }
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int result = control < 0 ? -1 : attach(made, control, file);
    int failure = errno;
    close(file);
    if (control >= 0) {
        close(control);
    }
    if (result != 0) {
        made->path[0] = '\0';
    }
    errno = failure;
    return result == 0 ? NULL : "the sandbox's disk gets no loop device";
}

void disk_hold(disk *made) {
    int context = sys_fsopen("ext4");
    /* The same file system, for it is mounted already. */
    if (context >= 0 && sys_fsconfig(context, FSCONFIG_SET_STRING, "source", made->path) == 0 &&
        sys_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL) == 0) {
        int mount = sys_fsmount(context);
        if (mount >= 0) {
            made->root = openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            close(mount);
        }
    }
    if (context >= 0) {
        close(context);
    }
}

pid_t disk_end(disk *made) {
    if (made->root < 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        uint32_t how = SHUTDOWN_WITHOUT_LOG;
        /* Nothing else of the supervisor may live as long as this. */
        if (dup2(made->root, 0) == 0 && close_range(1, ~0U, 0) == 0) {
            (void)ioctl(0, IOC_SHUTDOWN, &how);
        }
        _exit(0);
    }
    close(made->root);
    made->root = -1;
    return pid;
}

void disk_let_go(disk *made) {
    if (made->device >= 0) {
        close(made->device);
        made->device = -1;
    }
}
