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

/* One that is wanted again soon shall find what is cached of it; one that nobody wants can be removed. */
enum { TEMPLATES_MAX = 256, PATH_BYTES = 512, IDLE_MILLIS = 10 * 1000 };

typedef struct {
    char *image; /* NULL: a free place */
    char place[PATH_BYTES];
    int users;
    int64_t idle_since;
} mounted;

static char base[PATH_BYTES];
static mounted templates[TEMPLATES_MAX];

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

static int mount_new(mounted *one, const char *image) {
    size_t number = (size_t)(one - templates);
    if (!format(one->place, sizeof one->place, "%s/t%zu", base, number) || make_directory(one->place, 0755) != 0 ||
        mount_image(image, one->place) != 0) {
        return -1;
    }
    one->image = strdup(image);
    one->users = 0;
    return one->image == NULL ? -1 : 0;
}

const char *template_take(const char *image) {
    mounted *one = NULL;
    for (int i = 0; i < TEMPLATES_MAX; i++) {
        if (templates[i].image != NULL && strcmp(templates[i].image, image) == 0) {
            templates[i].users++;
            return templates[i].place;
        }
        if (one == NULL && templates[i].image == NULL) {
            one = &templates[i];
        }
    }
    if (one == NULL) {
        errno = ENOSPC;
        return NULL;
    }
    if (mount_new(one, image) != 0) {
        return NULL;
    }
    one->users = 1;
    return one->place;
}

void template_give(const char *place, int64_t now) {
    for (int i = 0; place != NULL && i < TEMPLATES_MAX; i++) {
        if (templates[i].image != NULL && strcmp(templates[i].place, place) == 0) {
            templates[i].users--;
            templates[i].idle_since = now;
        }
    }
}

int template_tidy(int64_t now) {
    int64_t next = -1;
    for (int i = 0; i < TEMPLATES_MAX; i++) {
        mounted *one = &templates[i];
        if (one->image == NULL || one->users > 0) {
            continue;
        }
        int64_t left = one->idle_since + IDLE_MILLIS - now;
        if (left > 0) {
            next = next < 0 || left < next ? left : next;
        } else if (umount2(one->place, MNT_DETACH) == 0) {
            free(one->image);
            one->image = NULL;
        }
    }
    return (int)next;
}
