#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connection.h"
#include "files.h"
#include "lanes.h"
#include "loop.h"
#include "paths.h"
#include "temporaries.h"

enum { BLOCKS_PER_TURN = 4, LINKS_MAX = 40, NAME_BYTES = 256 };

// ---- READ

struct reading {
    struct channel channel;
    struct task task;
    int fd;
    off_t offset;
    uint64_t left;
    // Whether the host takes the content from the lane, and how far it is written.
    bool is_shared;
    uint32_t position;
};

static void discard_reading(struct reading *reading) {
    task_stop(&reading->task);
    if (reading->fd >= 0) {
        close(reading->fd);
    }
    free(reading);
}

static void finish_reading(struct reading *reading, int error) {
    struct stat stat;
    struct bytes close = {0};
    if (error == 0 && fstat(reading->fd, &stat) < 0) {
        error = errno;
    }
    if (error != 0) {
        const char *message;
        enum status status = file_status(error, &message);
        channel_fail(&reading->channel, status, message);
    } else {
        put_number(&close, TAG_STATUS, STATUS_OK);
        put_number(&close, TAG_FILE_SIZE, (uint64_t)stat.st_size);
        channel_close(&reading->channel, &close);
        bytes_free(&close);
    }
    discard_reading(reading);
}

static size_t shorter(size_t most, uint64_t left) {
    return most < left ? most : (size_t)left;
}

// At the end of the file, or with it.
static void stop_reading(struct reading *reading, ssize_t count) {
    finish_reading(reading, count == 0 || errno == EAGAIN ? 0 : errno);
}

// Straight from the file to where the host takes it.
static void share_some(struct reading *reading) {
    for (;;) {
        if (reading->left == 0) {
            finish_reading(reading, 0);
            return;
        }
        size_t most = channel_lane_allowance(&reading->channel, STREAM_CONTENT, reading->position);
        if (most == 0) {
            return;
        }
        most = shorter(most, reading->left);
        ssize_t count = pread(reading->fd, lane_out() + reading->position, most, reading->offset);
        if (count <= 0) {
            stop_reading(reading, count);
            return;
        }
        channel_send_shared(&reading->channel, STREAM_CONTENT, reading->position, (size_t)count);
        // The host is to have this while the next is read.
        connection_flush();
        reading->position = (reading->position + (uint32_t)count) % LANE_BYTES;
        reading->offset += count;
        reading->left -= (uint64_t)count;
    }
}

// Straight from the file into the frame that goes out: there is no other copy, and never more than a few blocks.
static void read_some(struct task *task) {
    struct reading *reading = CONTAINER(task, struct reading, task);
    if (reading->is_shared) {
        share_some(reading);
        return;
    }
    for (int i = 0; i < BLOCKS_PER_TURN; i++) {
        if (reading->left == 0) {
            finish_reading(reading, 0);
            return;
        }
        size_t most = channel_allowance(&reading->channel, STREAM_CONTENT);
        struct block *block = most > 0 ? connection_block() : NULL;
        if (block == NULL) {
            if (most > 0) {
                finish_reading(reading, ENOMEM);
            }
            return;
        }
        most = shorter(most, reading->left);
        ssize_t count = pread(reading->fd, block->data + HEADER_BYTES, most, reading->offset);
        if (count <= 0) {
            connection_return_block(block);
            stop_reading(reading, count);
            return;
        }
        channel_send_block(&reading->channel, STREAM_CONTENT, block, (size_t)count);
        reading->offset += count;
        reading->left -= (uint64_t)count;
    }
    task_schedule(task);
}

static void on_reading_pump(struct channel *channel) {
    task_schedule(&CONTAINER(channel, struct reading, channel)->task);
}

static void on_reading_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard_reading(CONTAINER(channel, struct reading, channel));
}

static const struct channel_kind kind_reading = {.pump = on_reading_pump, .cancel = on_reading_cancel};

// Only files: what a pipe or a device makes of being read is not ours to find out.
static int open_file(const struct user *user, const char *path, int *fd) {
    struct stat stat;
    int error = 0;
    if (!user_enter(user)) {
        return EPERM;
    }
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) {
        error = errno == ENXIO ? EINVAL : errno;
    } else if (fstat(*fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        error = S_ISDIR(stat.st_mode) ? EISDIR : EINVAL;
        close(*fd);
        *fd = -1;
    }
    user_leave();
    return error;
}

void read_request(uint32_t number, const struct fields *fields) {
    struct user user;
    char path[PATH_MAX];
    uint64_t offset = 0;
    uint64_t length = INT64_MAX;
    if (!file_subject(number, fields, &user, path)) {
        return;
    }
    if (fields_number(fields, TAG_OFFSET, &offset) == FIELD_BROKEN
        || fields_number(fields, TAG_LENGTH, &length) == FIELD_BROKEN) {
        channel_refuse(number, STATUS_INVALID, "OFFSET and LENGTH are numbers");
        return;
    }
    int fd;
    int error = open_file(&user, path, &fd);
    struct reading *reading = error == 0 ? calloc(1, sizeof *reading) : NULL;
    if (reading == NULL) {
        if (error == 0) {
            close(fd);
        }
        file_refuse(number, error == 0 ? ENOMEM : error);
        return;
    }
    reading->fd = fd;
    reading->offset = (off_t)offset;
    reading->left = length;
    reading->is_shared = lanes_exist() && fields_flag(fields, TAG_SHARED);
    task_init(&reading->task, read_some);
    channel_open(&reading->channel, number, &kind_reading);
    task_schedule(&reading->task);
}

// ---- WRITE

struct writing {
    struct channel channel;
    struct user user;
    char path[PATH_MAX];
    // The directory of the file, after all links, and its name there.
    int directory;
    char name[NAME_BYTES];
    // The file that takes the content until it is complete; empty if it is written in place.
    char temporary[TEMPORARY_NAME_MAX];
    bool tells_xattrs;
    int fd;
    off_t offset;
};

static void discard_writing(struct writing *writing) {
    if (writing->temporary[0] != '\0' && writing->directory >= 0) {
        user_enter(&writing->user);
        unlinkat(writing->directory, writing->temporary, 0);
        user_leave();
    }
    if (writing->fd >= 0) {
        close(writing->fd);
    }
    if (writing->directory >= 0) {
        close(writing->directory);
    }
    free(writing);
}

static void fail_writing(struct writing *writing, int error) {
    const char *message;
    enum status status = file_status(error, &message);
    channel_fail(&writing->channel, status, message);
    discard_writing(writing);
}

static void on_writing_data(struct channel *channel, const uint8_t *data, size_t length) {
    struct writing *writing = CONTAINER(channel, struct writing, channel);
    size_t done = 0;
    while (done < length) {
        ssize_t count = pwrite(writing->fd, data + done, length - done, writing->offset);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail_writing(writing, count < 0 ? errno : ENOSPC);
            return;
        }
        done += (size_t)count;
        writing->offset += count;
    }
    channel_consumed(channel, STREAM_CONTENT, length);
}

static void on_writing_end(struct channel *channel) {
    struct writing *writing = CONTAINER(channel, struct writing, channel);
    user_enter(&writing->user);
    int error = 0;
    if (writing->temporary[0] != '\0') {
        struct stat before;
        bool replaces = fstatat(writing->directory, writing->name, &before, AT_SYMLINK_NOFOLLOW) == 0;
        temporary_placed(writing->temporary, replaces);
        if (renameat(writing->directory, writing->temporary, writing->directory, writing->name) < 0) {
            error = errno;
        } else {
            writing->temporary[0] = '\0';
        }
    }
    if (error == 0) {
        channel_close(channel, NULL);
        file_answer(channel->number, writing->path, writing->directory, writing->name, writing->tells_xattrs);
    }
    user_leave();
    if (error != 0) {
        fail_writing(writing, error);
    } else {
        discard_writing(writing);
    }
}

static void on_writing_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard_writing(CONTAINER(channel, struct writing, channel));
}

static const struct channel_kind kind_writing = {
    .inputs = 1U << STREAM_CONTENT,
    .data = on_writing_data,
    .end = on_writing_end,
    .cancel = on_writing_cancel,
};

// Opens the directory part of `text`, from `*directory` on, and splits its last name off.
static int descend(struct writing *writing, const char *text) {
    char part[PATH_MAX];
    const char *slash = strrchr(text, '/');
    const char *name = slash == NULL ? text : slash + 1;
    size_t length = slash == NULL ? 0 : (size_t)(slash - text);
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return EISDIR;
    }
    if (strlen(name) >= NAME_BYTES || length >= sizeof part) {
        return ENAMETOOLONG;
    }
    memcpy(part, text, length);
    strcpy(part + length, slash == NULL ? "." : length == 0 ? "/" : "");
    int next = openat(writing->directory < 0 ? AT_FDCWD : writing->directory, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (next < 0) {
        return errno;
    }
    if (writing->directory >= 0) {
        close(writing->directory);
    }
    writing->directory = next;
    strcpy(writing->name, name);
    return 0;
}

// Finds where the file really lies: a link must stay, and what it points to get the content.
static int follow(struct writing *writing) {
    int error = descend(writing, writing->path);
    for (int links = 0; error == 0; links++) {
        char target[PATH_MAX];
        ssize_t length = readlinkat(writing->directory, writing->name, target, sizeof target - 1);
        if (length < 0) {
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        }
        if (links == LINKS_MAX) {
            return ELOOP;
        }
        target[length] = '\0';
        error = descend(writing, target);
    }
    return error;
}

// Looks at what is there: it must be a file that this user may write. ENOENT if nothing is.
static int inspect(const struct writing *writing, struct stat *stat) {
    int fd = openat(writing->directory, writing->name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    int error = fd < 0 ? errno : 0;
    if (error == ETXTBSY) {
        error = 0; // a program that runs cannot be written, but replaced it can be
    }
    if (error == 0 && fstatat(writing->directory, writing->name, stat, AT_SYMLINK_NOFOLLOW) < 0) {
        error = errno;
    }
    if (fd >= 0) {
        close(fd);
    }
    return error != 0 ? (error == ENXIO ? EINVAL : error) : S_ISREG(stat->st_mode) ? 0 : EINVAL;
}

static int open_temporary(struct writing *writing) {
    for (int tries = 0; tries < 8; tries++) {
        if (!temporary_name(writing->temporary)) {
            return errno;
        }
        writing->fd = openat(writing->directory, writing->temporary,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (writing->fd >= 0) {
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    writing->temporary[0] = '\0';
    return errno;
}

static int open_whole(struct writing *writing, struct attributes *attributes) {
    struct stat before;
    int error = inspect(writing, &before);
    if (error != 0 && error != ENOENT) {
        return error;
    }
    bool exists = error == 0;
    if (!attributes->has_mode) {
        attributes->has_mode = true;
        attributes->mode = exists ? before.st_mode & 07777 : 0644;
    }
    bool is_foreign = exists && (before.st_uid != writing->user.uid || before.st_gid != writing->user.gid);
    if (is_foreign && !attributes->has_owner) {
        // As if it were written in place it keeps its owner; who is not root cannot give files away, and gets it.
        attributes->has_owner = writing->user.uid == 0;
        attributes->uid = before.st_uid;
        attributes->gid = before.st_gid;
    }
    error = open_temporary(writing);
    return error != 0 ? error : attributes_apply(attributes, writing->fd);
}

static int open_in_place(struct writing *writing, const struct attributes *attributes) {
    struct stat stat;
    writing->fd = openat(writing->directory, writing->name,
                         O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0644);
    if (writing->fd < 0) {
        return errno == ENXIO ? EINVAL : errno;
    }
    if (fstat(writing->fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        return EINVAL;
    }
    return attributes_apply(attributes, writing->fd);
}

void write_request(uint32_t number, const struct fields *fields) {
    struct attributes attributes;
    enum status status;
    uint64_t offset = 0;
    struct writing *writing = calloc(1, sizeof *writing);
    if (writing == NULL) {
        file_refuse(number, ENOMEM);
        return;
    }
    if (!file_subject(number, fields, &writing->user, writing->path)) {
        free(writing);
        return;
    }
    const char *wrong = attributes_read(fields, &attributes, &status);
    enum found in_place = fields_number(fields, TAG_OFFSET, &offset);
    if (wrong == NULL && in_place == FIELD_BROKEN) {
        status = STATUS_INVALID;
        wrong = "OFFSET is no number";
    }
    if (wrong != NULL) {
        channel_refuse(number, status, wrong);
        free(writing);
        return;
    }
    writing->directory = -1;
    writing->tells_xattrs = fields_flag(fields, TAG_XATTRS);
    writing->fd = -1;
    writing->offset = (off_t)offset;
    int error = user_enter(&writing->user) ? 0 : EPERM;
    if (error == 0 && fields_flag(fields, TAG_RECURSIVE)) {
        error = make_parents(writing->path, &attributes);
    }
    error = error != 0 ? error : follow(writing);
    if (error == 0) {
        error = in_place == FIELD_FOUND ? open_in_place(writing, &attributes) : open_whole(writing, &attributes);
    }
    user_leave();
    if (error != 0) {
        file_refuse(number, error);
        discard_writing(writing);
        return;
    }
    channel_open(&writing->channel, number, &kind_writing);
    writing->channel.is_bulk = true;
}
