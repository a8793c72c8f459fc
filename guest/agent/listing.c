#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "loop.h"
#include "paths.h"

enum {
    DEPTH_MAX = 256,
    // Of one directory: they are held in memory to be sorted.
    NAMES_MAX = 262144,
    // Records are made while less than this waits.
    AHEAD_BYTES = 32 * 1024,
    ENTRIES_PER_TURN = 256,
};

struct level {
    char **names;
    size_t count;
    size_t next;
    // Where the path of this directory ends in `path`.
    size_t path_length;
};

struct listing {
    struct channel channel;
    struct task task;
    struct user user;
    bool with_xattrs;
    int depth_wanted;
    char path[PATH_MAX];
    struct level levels[DEPTH_MAX];
    int depth;
    struct bytes record;
};

static void free_level(struct level *level) {
    for (size_t i = 0; i < level->count; i++) {
        free(level->names[i]);
    }
    free(level->names);
}

static void discard(struct listing *listing) {
    task_stop(&listing->task);
    while (listing->depth > 0) {
        free_level(&listing->levels[--listing->depth]);
    }
    bytes_free(&listing->record);
    free(listing);
}

static int by_bytes(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int read_names(DIR *directory, struct level *level) {
    size_t capacity = 0;
    const struct dirent *entry;
    errno = 0;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (level->count == NAMES_MAX) {
            return EFBIG;
        }
        if (level->count == capacity) {
            capacity = capacity == 0 ? 32 : capacity * 2;
            char **names = realloc(level->names, capacity * sizeof *names);
            if (names == NULL) {
                return ENOMEM;
            }
            level->names = names;
        }
        level->names[level->count] = strdup(entry->d_name);
        if (level->names[level->count] == NULL) {
            return ENOMEM;
        }
        level->count++;
        errno = 0;
    }
    if (errno == 0 && level->count > 0) {
        qsort(level->names, level->count, sizeof *level->names, by_bytes);
    }
    return errno;
}

static int enter(struct listing *listing, int flags) {
    int fd = open(listing->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error;
    }
    struct level *level = &listing->levels[listing->depth];
    *level = (struct level){.path_length = strlen(listing->path)};
    listing->depth++;
    int error = read_names(directory, level);
    closedir(directory);
    return error;
}

// One entry. What cannot be seen, or is gone again, is passed over, as `ls -R` would go on.
static int step(struct listing *listing) {
    struct level *level = &listing->levels[listing->depth - 1];
    listing->path[level->path_length] = '\0';
    if (level->next == level->count) {
        free_level(level);
        listing->depth--;
        return 0;
    }
    char path[PATH_MAX];
    if (!path_join(listing->path, level->names[level->next++], path)) {
        return 0;
    }
    bytes_clear(&listing->record);
    if (!file_describe(&listing->record, path, AT_FDCWD, path, listing->with_xattrs)) {
        return 0;
    }
    channel_record(&listing->channel, &listing->record);
    struct fields fields = {listing->record.data, listing->record.length};
    uint64_t type = 0;
    fields_number(&fields, TAG_FILE_TYPE, &type);
    if (type == FILE_TYPE_DIRECTORY && listing->depth < listing->depth_wanted) {
        strcpy(listing->path, path);
        int error = enter(listing, O_NOFOLLOW);
        return error == ENOMEM || error == EMFILE || error == ENFILE || error == EFBIG ? error : 0;
    }
    return 0;
}

static void run(struct task *task) {
    struct listing *listing = CONTAINER(task, struct listing, task);
    int error = user_enter(&listing->user) ? 0 : EPERM;
    for (int i = 0; error == 0 && listing->depth > 0 && i < ENTRIES_PER_TURN
         && channel_records_left(&listing->channel) < AHEAD_BYTES;
         i++) {
        error = step(listing);
    }
    user_leave();
    if (error != 0) {
        const char *message;
        enum status status = file_status(error, &message);
        channel_fail(&listing->channel, status, message);
        discard(listing);
    } else if (channel_records_left(&listing->channel) > 0 && listing->depth > 0) {
        if (channel_records_left(&listing->channel) < AHEAD_BYTES) {
            task_schedule(task);
        }
    } else if (listing->depth > 0) {
        task_schedule(task);
    } else if (channel_records_left(&listing->channel) == 0) {
        channel_fail(&listing->channel, STATUS_OK, NULL);
        discard(listing);
    }
}

static void on_pump(struct channel *channel) {
    task_schedule(&CONTAINER(channel, struct listing, channel)->task);
}

static void on_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard(CONTAINER(channel, struct listing, channel));
}

static const struct channel_kind kind_listing = {.pump = on_pump, .cancel = on_cancel};

void list_request(uint32_t number, const struct fields *fields) {
    struct listing *listing = calloc(1, sizeof *listing);
    uint64_t depth = 1;
    if (listing == NULL) {
        file_refuse(number, ENOMEM);
        return;
    }
    if (!file_subject(number, fields, &listing->user, listing->path)) {
        free(listing);
        return;
    }
    if (fields_number(fields, TAG_DEPTH, &depth) == FIELD_BROKEN) {
        channel_refuse(number, STATUS_INVALID, "DEPTH is no number");
        free(listing);
        return;
    }
    listing->depth_wanted = depth < 1 ? 1 : depth > DEPTH_MAX ? DEPTH_MAX : (int)depth;
    listing->with_xattrs = fields_flag(fields, TAG_XATTRS);
    task_init(&listing->task, run);
    int error = user_enter(&listing->user) ? enter(listing, 0) : EPERM;
    user_leave();
    if (error != 0) {
        file_refuse(number, error);
        discard(listing);
        return;
    }
    channel_open(&listing->channel, number, &kind_listing);
    task_schedule(&listing->task);
}
