#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options.h"

enum { FILE_BYTES_MAX = 1 << 20, COLUMNS_MAX = 7 };

// The text of a file as it was when it was last read.
struct table {
    const char *path;
    char *text;
    size_t length;
    struct timespec modified;
    ino_t inode;
    off_t size;
    // It was looked at, and nothing since can have changed it that a request could know of.
    bool is_fresh;
};

static struct table passwd = {.path = "/etc/passwd"};
static struct table group = {.path = "/etc/group"};

static bool is_same(const struct table *table, const struct stat *stat) {
    return S_ISREG(stat->st_mode) && stat->st_ino == table->inode && stat->st_size == table->size
        && stat->st_mtim.tv_sec == table->modified.tv_sec && stat->st_mtim.tv_nsec == table->modified.tv_nsec;
}

// Reads a file again if it changed. Non-blocking: a guest may have put a FIFO there.
static void refresh(struct table *table) {
    struct stat stat;
    if (table->is_fresh) {
        return;
    }
    table->is_fresh = true;
    if (lstat(table->path, &stat) == 0 && is_same(table, &stat)) {
        return;
    }
    int fd = open(table->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        table->length = 0;
        table->inode = 0;
    } else if (!is_same(table, &stat)) {
        size_t room = stat.st_size > FILE_BYTES_MAX ? FILE_BYTES_MAX : (size_t)stat.st_size;
        char *text = realloc(table->text, room + 1);
        table->length = 0;
        if (text != NULL) {
            table->text = text;
            ssize_t count;
            while (table->length < room && (count = read(fd, text + table->length, room - table->length)) > 0) {
                table->length += (size_t)count;
            }
            table->modified = stat.st_mtim;
            table->inode = stat.st_ino;
            table->size = stat.st_size;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

void users_forget(void) {
    passwd.is_fresh = false;
    group.is_fresh = false;
}

struct column {
    const char *start;
    size_t length;
};

// The columns of the line at `*at`, which moves to the next. Returns how many there are, -1 at the end.
static int next_line(const struct table *table, size_t *at, struct column columns[COLUMNS_MAX]) {
    if (*at >= table->length) {
        return -1;
    }
    const char *line = table->text + *at;
    const char *end = memchr(line, '\n', table->length - *at);
    size_t length = end == NULL ? table->length - *at : (size_t)(end - line);
    *at += length + 1;
    int count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= length && count < COLUMNS_MAX; i++) {
        if (i == length || line[i] == ':') {
            columns[count++] = (struct column){line + start, i - start};
            start = i + 1;
        }
    }
    return count;
}

static bool equals(struct column column, const char *text) {
    return column.length == strlen(text) && memcmp(column.start, text, column.length) == 0;
}

static bool as_id(struct column column, uint32_t *id) {
    uint64_t value = 0;
    if (column.length == 0 || column.length > 10) {
        return false;
    }
    for (size_t i = 0; i < column.length; i++) {
        if (column.start[i] < '0' || column.start[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(column.start[i] - '0');
    }
    *id = (uint32_t)value;
    return value < UINT32_MAX; // -1 means "no change" to the calls that change ids
}

static void copy(struct column column, char *text, size_t size) {
    size_t length = column.length < size ? column.length : size - 1;
    memcpy(text, column.start, length);
    text[length] = '\0';
}

// Whether `name` is one of the names in a column, between commas.
static bool lists(struct column column, const char *name) {
    size_t length = strlen(name);
    size_t start = 0;
    for (size_t i = 0; i <= column.length; i++) {
        if (i == column.length || column.start[i] == ',') {
            if (i - start == length && memcmp(column.start + start, name, length) == 0) {
                return true;
            }
            start = i + 1;
        }
    }
    return false;
}

static void find_groups(struct user *user) {
    struct column columns[COLUMNS_MAX];
    size_t at = 0;
    int count;
    user->groups[0] = user->gid;
    user->group_count = 1;
    refresh(&group);
    while ((count = next_line(&group, &at, columns)) >= 0) {
        uint32_t gid;
        if (count >= 4 && user->group_count < USER_GROUPS_MAX && as_id(columns[2], &gid) && gid != user->gid
            && lists(columns[3], user->name)) {
            user->groups[user->group_count++] = gid;
        }
    }
}

bool user_find(const char *name, struct user *user) {
    struct column columns[COLUMNS_MAX];
    size_t at = 0;
    int count;
    refresh(&passwd);
    while ((count = next_line(&passwd, &at, columns)) >= 0) {
        uint32_t uid;
        uint32_t gid;
        if (count >= 6 && equals(columns[0], name) && columns[0].length < USER_NAME_MAX && as_id(columns[2], &uid)
            && as_id(columns[3], &gid)) {
            user->uid = uid;
            user->gid = gid;
            copy(columns[0], user->name, sizeof user->name);
            copy(columns[5], user->home, sizeof user->home);
            if (user->home[0] != '/') {
                strcpy(user->home, "/");
            }
            find_groups(user);
            return true;
        }
    }
    if (strcmp(name, "root") == 0) {
        *user = (struct user){.name = "root", .home = "/root", .group_count = 1};
        return true;
    }
    return false;
}

void user_default(struct user *user) {
    if (!user_find(options.user, user)) {
        user_find("root", user);
    }
}

static void name_of(struct table *table, uint32_t id, char *name, size_t size) {
    struct column columns[COLUMNS_MAX];
    size_t at = 0;
    int count;
    refresh(table);
    while ((count = next_line(table, &at, columns)) >= 0) {
        uint32_t found;
        if (count >= 3 && columns[0].length > 0 && as_id(columns[2], &found) && found == id) {
            copy(columns[0], name, size);
            return;
        }
    }
    snprintf(name, size, "%u", id);
}

void user_name_of(uid_t uid, char *name, size_t size) {
    name_of(&passwd, uid, name, size);
}

void group_name_of(gid_t gid, char *name, size_t size) {
    name_of(&group, gid, name, size);
}

bool group_find(const char *name, gid_t *gid) {
    struct column columns[COLUMNS_MAX];
    size_t at = 0;
    int count;
    refresh(&group);
    while ((count = next_line(&group, &at, columns)) >= 0) {
        uint32_t found;
        if (count >= 3 && equals(columns[0], name) && as_id(columns[2], &found)) {
            *gid = found;
            return true;
        }
    }
    return strcmp(name, "root") == 0 && (*gid = 0, true);
}

enum how { AS_NOBODY_ELSE, BY_FSUID, BY_EUID };
static enum how entered;

static bool by_fsuid(const struct user *user) {
    setfsgid(user->gid);
    setfsuid(user->uid);
    return (uid_t)setfsuid((uid_t)-1) == user->uid && (gid_t)setfsgid((gid_t)-1) == user->gid;
}

// By the kernel's fsuid, which no other process's signals or ptrace can abuse, and under which root's file
// capabilities do not count: a race with symbolic links gains a guest nothing that it could not do itself. gVisor's
// kernel has no fsuid; there it is the effective user, which has no capability either, and this process is first in
// its namespace, which takes no signal that it does not handle.
bool user_enter(const struct user *user) {
    if (geteuid() != 0) {
        return true; // there is nothing to change to
    }
    if (setgroups(user->group_count, user->groups) < 0 && errno != EPERM) {
        return false;
    }
    entered = BY_FSUID;
    if (by_fsuid(user)) {
        return true;
    }
    entered = BY_EUID;
    if (setegid(user->gid) == 0 && seteuid(user->uid) == 0) {
        return true;
    }
    user_leave();
    return false;
}

void user_leave(void) {
    if (entered == AS_NOBODY_ELSE) {
        return;
    }
    // To go on with a guest's rights or groups would be wrong for the next request.
    if (entered == BY_EUID && (seteuid(0) < 0 || setegid(0) < 0)) {
        abort();
    }
    setfsuid(0);
    setfsgid(0);
    if (setgroups(0, NULL) < 0 && errno != EPERM) {
        abort();
    }
    entered = AS_NOBODY_ELSE;
}
