#include "template.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys.h"

enum { TEMPLATES_MAX = 256, PATH_BYTES = 512 };

typedef struct {
    char *image;
    char place[PATH_BYTES];
} mounted;

static char base[PATH_BYTES];
static mounted templates[TEMPLATES_MAX];
static int count;

int template_init(const char *directory) {
    if (!format(base, sizeof base, "%s/mnt", directory) || make_directory(base, 0700) != 0) {
        return -1;
    }
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) {
        return -1;
    }
    /* What is mounted here is seen by us and our children alone. */
    if (mount("glovebox", base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m,nr_inodes=4096") != 0 ||
        mount(NULL, base, NULL, MS_PRIVATE, NULL) != 0) {
        return -1;
    }
    static const char *const places[] = {"scratch", "lower", "root"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[PATH_BYTES + 16];
        format(path, sizeof path, "%s/%s", base, places[i]);
        if (make_directory(path, 0755) != 0) {
            return -1;
        }
    }
    return 0;
}

const char *template_mounts(void) {
    return base;
}

static int mount_image(const char *image, const char *place) {
    struct stat status;
    if (stat(image, &status) != 0) {
        return -1;
    }
    if (S_ISDIR(status.st_mode)) {
        return mount(image, place, NULL, MS_BIND, NULL) == 0 &&
                       mount(NULL, place, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NODEV, NULL) == 0
                   ? 0
                   : -1;
    }
    return mount(image, place, "erofs", MS_RDONLY | MS_NODEV, NULL);
}

const char *template_mount(const char *image) {
    for (int i = 0; i < count; i++) {
        if (strcmp(templates[i].image, image) == 0) {
            return templates[i].place;
        }
    }
    if (count == TEMPLATES_MAX) {
        errno = ENOSPC;
        return NULL;
    }
    mounted *one = &templates[count];
    if (!format(one->place, sizeof one->place, "%s/t%d", base, count) || make_directory(one->place, 0755) != 0 ||
        mount_image(image, one->place) != 0) {
        return NULL;
    }
    one->image = strdup(image);
    if (one->image == NULL) {
        return NULL;
    }
    count++;
    return one->place;
}
