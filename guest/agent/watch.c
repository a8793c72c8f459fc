#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "loop.h"
#include "paths.h"
#include "temporaries.h"

enum {
    WATCHES_MAX = 32,
    DIRECTORIES_MAX = 8192,
    // Entries found in directories that are new, and whose own events may still be on the way.
    FOUND_MAX = 65536,
    // Events are taken while less than this waits for credit; what the kernel then cannot keep is an overflow.
    AHEAD_BYTES = 256 * 1024,
    // How long the second half of a rename may take.
    RENAME_MILLIS = 5,
    DEPTH_MAX = 256,
    BUFFER_BYTES = 32 * 1024,
    READS_PER_TURN = 4,
};

#define WATCHED                                                                                                       \
    (IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF      \
     | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)

// A directory under watch. `found` are the names that were reported because they were there when it was first looked
// at: if their IN_CREATE still comes, it is the same event.
struct directory {
    int descriptor;
    char *path;
    char **found;
    size_t found_count;
};

struct watch {
    struct channel channel;
    struct poller poller;
    struct timer rename_timer;
    struct user user;
    bool recursive;
    char root[PATH_MAX];
    struct directory *directories;
    size_t count;
    size_t capacity;
    size_t found_total;
    bool is_full;
    // The first half of a rename.
    uint32_t cookie;
    bool moved_directory;
    char moved_temporary[TEMPORARY_NAME_MAX]; // its name, if it is one
    char moved[PATH_MAX];
};

static size_t watches;

static void free_found(struct watch *watch, struct directory *directory) {
    for (size_t i = 0; i < directory->found_count; i++) {
        free(directory->found[i]);
    }
    watch->found_total -= directory->found_count;
    free(directory->found);
    directory->found = NULL;
    directory->found_count = 0;
}

static void drop_directory(struct watch *watch, size_t index) {
    struct directory *directory = &watch->directories[index];
    free_found(watch, directory);
    free(directory->path);
    watch->directories[index] = watch->directories[--watch->count];
}

static void discard(struct watch *watch) {
    timer_stop(&watch->rename_timer);
    poller_close(&watch->poller);
    while (watch->count > 0) {
        drop_directory(watch, watch->count - 1);
    }
    free(watch->directories);
    free(watch);
    watches--;
}

static struct directory *find(struct watch *watch, int descriptor) {
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->directories[i].descriptor == descriptor) {
            return &watch->directories[i];
        }
    }
    return NULL;
}

static void report(struct watch *watch, enum watch_event event, const char *path, const char *target, bool directory) {
    struct bytes record = {0};
    put_number(&record, TAG_WATCH_EVENT, event);
    put_foreign(&record, TAG_PATH, path, strlen(path));
    if (target != NULL) {
        put_foreign(&record, TAG_TARGET_PATH, target, strlen(target));
    }
    put_number(&record, TAG_FILE_TYPE, directory ? FILE_TYPE_DIRECTORY : FILE_TYPE_FILE);
    channel_record(&watch->channel, &record);
    bytes_free(&record);
}

static void report_overflow(struct watch *watch) {
    report(watch, WATCH_OVERFLOW, watch->root, NULL, true);
}

static void remember(struct watch *watch, int descriptor, const char *name) {
    struct directory *directory = find(watch, descriptor);
    if (directory == NULL || watch->found_total == FOUND_MAX) {
        return;
    }
    char **found = realloc(directory->found, (directory->found_count + 1) * sizeof *found);
    char *copy = strdup(name);
    if (found != NULL) {
        directory->found = found;
    }
    if (found == NULL || copy == NULL) {
        free(copy);
        return;
    }
    found[directory->found_count++] = copy;
    watch->found_total++;
}

// Whether the name was found and not told apart yet; it is now.
static bool forget(struct watch *watch, struct directory *directory, const char *name) {
    for (size_t i = 0; i < directory->found_count; i++) {
        if (strcmp(directory->found[i], name) == 0) {
            free(directory->found[i]);
            directory->found[i] = directory->found[--directory->found_count];
            watch->found_total--;
            return true;
        }
    }
    return false;
}

// Watches one directory. 0, an errno, or EALREADY if it was watched before.
static int add_directory(struct watch *watch, const char *path, bool is_root, int *descriptor) {
    if (watch->count == DIRECTORIES_MAX) {
        return ENOSPC;
    }
    uint32_t mask = is_root ? WATCHED & ~(uint32_t)IN_DONT_FOLLOW : WATCHED;
    *descriptor = inotify_add_watch(watch->poller.fd, path, mask);
    if (*descriptor < 0) {
        return errno;
    }
    if (find(watch, *descriptor) != NULL) {
        return EALREADY;
    }
    if (watch->count == watch->capacity) {
        size_t capacity = watch->capacity == 0 ? 16 : watch->capacity * 2;
        struct directory *directories = realloc(watch->directories, capacity * sizeof *directories);
        if (directories == NULL) {
            inotify_rm_watch(watch->poller.fd, *descriptor);
            return ENOMEM;
        }
        watch->directories = directories;
        watch->capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        inotify_rm_watch(watch->poller.fd, *descriptor);
        return ENOMEM;
    }
    watch->directories[watch->count++] = (struct directory){*descriptor, copy, NULL, 0};
    return 0;
}

static int add_tree(struct watch *watch, const char *path, bool is_root, bool reports, int depth);

static int add_entry(struct watch *watch, int descriptor, const char *directory, const char *name, bool reports,
                     int depth) {
    char path[PATH_MAX];
    struct stat stat;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_temporary_name(name) || !path_join(directory, name, path)
        || fstatat(AT_FDCWD, path, &stat, AT_SYMLINK_NOFOLLOW) < 0) {
        return 0;
    }
    bool is_directory = S_ISDIR(stat.st_mode);
    if (reports) {
        report(watch, WATCH_CREATE, path, NULL, is_directory);
        remember(watch, descriptor, name);
    }
    return is_directory && depth < DEPTH_MAX ? add_tree(watch, path, false, reports, depth + 1) : 0;
}

// Watches a directory and all below. The watch comes before the look: what is made in between is seen twice and
// reported once, and nothing is missed. What is gone again, or closed to this user, is passed over.
static int add_tree(struct watch *watch, const char *path, bool is_root, bool reports, int depth) {
    int descriptor;
    int error = add_directory(watch, path, is_root, &descriptor);
    if (error == EALREADY) {
        return 0;
    }
    if (error != 0) {
        return is_root || error == ENOSPC || error == ENOMEM ? error : 0;
    }
    DIR *directory = watch->recursive ? opendir(path) : NULL;
    const struct dirent *entry;
    while (directory != NULL && error == 0 && (entry = readdir(directory)) != NULL) {
        error = add_entry(watch, descriptor, path, entry->d_name, reports, depth);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return error;
}

static bool is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

// A directory has moved: those below have new paths, or are not ours any more.
static void move_tree(struct watch *watch, const char *from, const char *to) {
    for (size_t i = watch->count; i-- > 0;) {
        struct directory *directory = &watch->directories[i];
        if (!is_below(directory->path, from)) {
            continue;
        }
        char path[PATH_MAX];
        const char *rest = directory->path + strlen(from);
        char *copy = to != NULL && strlen(to) + strlen(rest) < sizeof path
            ? strdup(strcat(strcpy(path, to), rest))
            : NULL;
        if (copy != NULL) {
            free(directory->path);
            directory->path = copy;
        } else {
            inotify_rm_watch(watch->poller.fd, directory->descriptor);
            drop_directory(watch, i);
        }
    }
}

// The second half of a rename did not come: it has left for good.
static void settle_rename(struct watch *watch) {
    timer_stop(&watch->rename_timer);
    if (watch->cookie != 0) {
        watch->cookie = 0;
        if (watch->moved_temporary[0] != '\0') {
            return; // taken to another directory by a guest: nobody was told that it is here
        }
        report(watch, WATCH_REMOVE, watch->moved, NULL, watch->moved_directory);
        if (watch->moved_directory) {
            move_tree(watch, watch->moved, NULL);
        }
    }
}

static void on_rename_timer(struct timer *timer) {
    settle_rename(CONTAINER(timer, struct watch, rename_timer));
}

static void arrived(struct watch *watch, const char *path, bool is_directory) {
    report(watch, WATCH_CREATE, path, NULL, is_directory);
    if (is_directory && watch->recursive) {
        int error = add_tree(watch, path, false, true, 1);
        if (error != 0 && !watch->is_full) {
            watch->is_full = true;
            report_overflow(watch); // from here on changes are missed, and the host knows it
        }
    }
}

static void moved_to(struct watch *watch, const struct inotify_event *event, const char *path, bool is_directory) {
    if (watch->cookie == 0 || watch->cookie != event->cookie) {
        settle_rename(watch);
        arrived(watch, path, is_directory);
        return;
    }
    watch->cookie = 0;
    timer_stop(&watch->rename_timer);
    if (watch->moved_temporary[0] != '\0') {
        // A file that the host wrote as a whole.
        if (!temporary_replaced(watch->moved_temporary)) {
            report(watch, WATCH_CREATE, path, NULL, false);
        }
        report(watch, WATCH_WRITE, path, NULL, false);
        return;
    }
    report(watch, WATCH_RENAME, watch->moved, path, is_directory);
    if (is_directory) {
        move_tree(watch, watch->moved, path);
    }
}

// Returns false if the watch is over.
static bool handle(struct watch *watch, const struct inotify_event *event) {
    char path[PATH_MAX];
    bool is_directory = (event->mask & IN_ISDIR) != 0;
    if ((event->mask & IN_MOVED_TO) == 0) {
        settle_rename(watch);
    }
    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        report_overflow(watch);
        return true;
    }
    struct directory *directory = find(watch, event->wd);
    if (directory == NULL) {
        return true;
    }
    bool is_root = directory == &watch->directories[0] && strcmp(directory->path, watch->root) == 0;
    if ((event->mask & IN_IGNORED) != 0) {
        drop_directory(watch, (size_t)(directory - watch->directories));
        return !is_root;
    }
    if (event->len == 0) {
        // About the directory itself: its parent says the same, except of the root, which has none here.
        if (is_root && (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
            report(watch, WATCH_REMOVE, watch->root, NULL, true);
            return false;
        }
        if (is_root && (event->mask & IN_ATTRIB) != 0) {
            report(watch, WATCH_CHMOD, watch->root, NULL, true);
        }
        return true;
    }
    if (!path_join(directory->path, event->name, path)) {
        return true;
    }
    bool is_temporary = is_temporary_name(event->name);
    if (is_temporary && (event->mask & IN_MOVED_FROM) == 0) {
        return true;
    }
    bool was_found = (event->mask & (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)) != 0
        && forget(watch, directory, event->name);
    if ((event->mask & IN_CREATE) != 0 && !was_found) {
        arrived(watch, path, is_directory);
    } else if ((event->mask & IN_MODIFY) != 0) {
        report(watch, WATCH_WRITE, path, NULL, false);
    } else if ((event->mask & IN_ATTRIB) != 0) {
        report(watch, WATCH_CHMOD, path, NULL, is_directory);
    } else if ((event->mask & IN_DELETE) != 0) {
        report(watch, WATCH_REMOVE, path, NULL, is_directory);
    } else if ((event->mask & IN_MOVED_FROM) != 0) {
        watch->cookie = event->cookie;
        watch->moved_directory = is_directory;
        strcpy(watch->moved, path);
        strcpy(watch->moved_temporary, is_temporary ? event->name : "");
        timer_set(&watch->rename_timer, loop_now() + RENAME_MILLIS * MILLISECOND);
    } else if ((event->mask & IN_MOVED_TO) != 0 && !(was_found && watch->cookie != event->cookie)) {
        moved_to(watch, event, path, is_directory);
    }
    return true;
}

static void pump(struct watch *watch) {
    poller_want(&watch->poller, channel_records_left(&watch->channel) < AHEAD_BYTES ? EPOLLIN : 0);
}

// Events until none is left, or for so many reads. Returns false if the watch is over.
static bool take_events(struct watch *watch) {
    static _Alignas(struct inotify_event) char buffer[BUFFER_BYTES];
    for (int reads = 0; reads < READS_PER_TURN; reads++) {
        ssize_t count = read(watch->poller.fd, buffer, sizeof buffer);
        if (count <= 0) {
            // All that was on its way when directories were looked at has come.
            for (size_t i = 0; watch->found_total > 0 && i < watch->count; i++) {
                free_found(watch, &watch->directories[i]);
            }
            return true;
        }
        for (ssize_t at = 0; at < count;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
            if (!handle(watch, event)) {
                return false;
            }
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
    return true;
}

static void on_ready(struct poller *poller, uint32_t ready) {
    struct watch *watch = CONTAINER(poller, struct watch, poller);
    (void)ready;
    bool goes_on = user_enter(&watch->user) && take_events(watch);
    user_leave();
    if (!goes_on) {
        channel_fail(&watch->channel, STATUS_OK, NULL);
        discard(watch);
        return;
    }
    pump(watch);
}

static void on_pump(struct channel *channel) {
    pump(CONTAINER(channel, struct watch, channel));
}

static void on_cancel(struct channel *channel) {
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    discard(CONTAINER(channel, struct watch, channel));
}

static const struct channel_kind kind_watch = {.pump = on_pump, .cancel = on_cancel};

static void refuse(struct watch *watch, uint32_t number, int error) {
    if (error == ENOSPC) {
        channel_refuse(number, STATUS_TOO_MANY, "a watch covers at most 8192 directories, or what the kernel allows");
    } else {
        file_refuse(number, error);
    }
    discard(watch);
}

void watch_request(uint32_t number, const struct fields *fields) {
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        file_refuse(number, ENOMEM);
        return;
    }
    if (!file_subject(number, fields, &watch->user, watch->root)) {
        free(watch);
        return;
    }
    if (watches == WATCHES_MAX) {
        channel_refuse(number, STATUS_TOO_MANY, "the sandbox has 32 watches, which is the bound");
        free(watch);
        return;
    }
    watches++;
    watch->recursive = fields_flag(fields, TAG_RECURSIVE);
    timer_init(&watch->rename_timer, on_rename_timer);
    poller_init(&watch->poller, inotify_init1(IN_CLOEXEC | IN_NONBLOCK), on_ready);
    if (watch->poller.fd < 0) {
        refuse(watch, number, EMFILE);
        return;
    }
    int error = user_enter(&watch->user) ? add_tree(watch, watch->root, true, false, 0) : EPERM;
    user_leave();
    if (error != 0) {
        refuse(watch, number, error);
        return;
    }
    channel_open(&watch->channel, number, &kind_watch);
    struct bytes record = {0};
    put_number(&record, TAG_STARTED, 1);
    channel_record(&watch->channel, &record);
    bytes_free(&record);
    pump(watch);
}
