// Users and groups as /etc/passwd and /etc/group of the sandbox name them. The files may be the guest's work.
#ifndef GLOVEBOX_USERS_H
#define GLOVEBOX_USERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { USER_NAME_MAX = 64, USER_GROUPS_MAX = 64 };

struct user {
    char name[USER_NAME_MAX];
    uid_t uid;
    gid_t gid;
    char home[PATH_MAX];
    gid_t groups[USER_GROUPS_MAX];
    size_t group_count;
};

// What is asked next is read anew if it changed: at each request, and at each turn of the loop.
void users_forget(void);
// The user of this name. root exists always.
bool user_find(const char *name, struct user *user);
// The user of processes and file operations that name none.
void user_default(struct user *user);
// Names, or the number if there is none; `size` should be USER_NAME_MAX.
void user_name_of(uid_t uid, char *name, size_t size);
void group_name_of(gid_t gid, char *name, size_t size);
bool group_find(const char *name, gid_t *gid);

// File operations from here on are done with this user's rights, and what they make belongs to it; until user_leave.
bool user_enter(const struct user *user);
void user_leave(void);

#endif
