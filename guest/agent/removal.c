#include "removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"
#include "files.h"
#include "loop.h"

enum { DEPTH_MAX = 512, ENTRIES_PER_TURN = 256, NAME_BYTES = 256 };

struct level {
    DIR *directory;
    // In the directory above.
    char name[NAME_BYTES];
};

struct removal {
    struct channel channel;
    struct task task;
    struct user user;
    char path[PATH_MAX];
    struct level levels[DEPTH_MAX];
    int depth;
};

static void discard(struct removal *removal) {
    task_stop(&removal->task);
    while (removal->depth > 0) {
        closedir(removal->levels[--removal->depth].directory);
    }
    free(removal);
}

static void fail(struct removal *removal, int error) {
    const char *message;
    enum status status = file_status(error, &message);
    channel_fail(&removal->channel, status, message);
    discard(removal);
}

// Enters a directory by its descriptor and not through links, so that nobody can lead the removal astray.
static int enter(struct removal *removal, int at, const char *name) {
    if (removal->depth == DEPTH_MAX || strlen(name) >= NAME_BYTES) {
        if (removal->depth > 0) {
            return ENAMETOOLONG;
        }
    }
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct level *level = &removal->levels[removal->depth];
    level->directory = fd < 0 ? NULL : fdopendir(fd);
    if (level->directory == NULL) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error;
    }
    if (removal->depth > 0) {
        strcpy(level->name, name);
    }
    removal->depth++;
    return 0;
}

// The innermost directory is empty. What came into it meanwhile is removed in another round.
static int leave(struct removal *removal) {
    struct level *level = &removal->levels[removal->depth - 1];
    int above = removal->depth > 1 ? dirfd(removal->levels[removal->depth - 2].directory) : AT_FDCWD;
    const char *name = removal->depth > 1 ? level->name : removal->path;
    if (unlinkat(above, name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
        if (errno != ENOTEMPTY && errno != EEXIST) {
            return errno;
        }
        rewinddir(level->directory);
        return 0;
    }
    closedir(level->directory);
    removal->depth--;
    return 0;
}

// One entry; an errno if it cannot go.
static int step(struct removal *removal) {
    DIR *directory = removal->levels[removal->depth - 1].directory;
    errno = 0;
    const struct dirent *entry = readdir(directory);
    if (entry == NULL) {
        return errno != 0 ? errno : leave(removal);
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
        return 0;
    }
    if (unlinkat(dirfd(directory), entry->d_name, 0) == 0 || errno == ENOENT) {
        return 0;
    }
    // Linux says EISDIR for a directory, POSIX EPERM.
    if (errno != EISDIR && errno != EPERM) {
        return errno;
    }
    int error = errno;
    if (unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR) == 0) {
        return 0;
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
        return errno == ENOTDIR ? error : errno;
    }
    return enter(removal, dirfd(directory), entry->d_name);
}

static void run(struct task *task) {
    struct removal *removal = CONTAINER(task, struct removal, task);
    int error = user_enter(&removal->user) ? 0 : EPERM;
    for (int i = 0; error == 0 && i < ENTRIES_PER_TURN && removal->depth > 0; i++) {
        error = step(removal);
    }
    user_leave();
    if (error != 0) {
        fail(removal, error);
    } else if (removal->depth == 0) {
        channel_fail(&removal->channel, STATUS_OK, NULL);
        discard(removal);
    } else {
        task_schedule(task);
    }
}

static void on_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard(CONTAINER(channel, struct removal, channel));
}

static const struct channel_kind kind_removal = {.cancel = on_cancel};

void removal_begin(uint32_t number, const char *path, const struct user *user) {
    struct removal *removal = calloc(1, sizeof *removal);
    if (removal == NULL) {
        file_refuse(number, ENOMEM);
        return;
    }
    removal->user = *user;
    strcpy(removal->path, path);
    task_init(&removal->task, run);
    channel_open(&removal->channel, number, &kind_removal);
    int error = enter(removal, AT_FDCWD, path);
    if (error != 0) {
        fail(removal, error);
        return;
    }
    task_schedule(&removal->task);
}
