// Files: what all requests about them share, and those that are done at once: STAT, MAKE_DIRECTORY, MOVE, REMOVE.
#ifndef GLOVEBOX_FILES_H
#define GLOVEBOX_FILES_H

#include <sys/types.h>

#include "channel.h"
#include "users.h"

// Attributes that a request sets on what it makes.
struct attributes {
    bool has_mode;
    mode_t mode;
    bool has_owner;
    uid_t uid;
    gid_t gid;
    // The fields themselves, for XATTR_NAME and XATTR_VALUE; they live as long as the request's frame.
    struct fields fields;
};

void files_request(enum request_kind kind, uint32_t number, const struct fields *fields);

// What an errno means to the host, and in words.
enum status file_status(int error, const char **message);
void file_refuse(uint32_t number, int error);
// Reads USER and PATH, and refuses if there is something wrong.
bool file_subject(uint32_t number, const struct fields *fields, struct user *user, char path[PATH_MAX]);
// Adds the fields of STAT. `path` is what the record says; the file is `name` in the directory `at`. False: errno.
bool file_describe(struct bytes *record, const char *path, int at, const char *name, bool with_xattrs);
// NULL, or what is wrong.
const char *attributes_read(const struct fields *fields, struct attributes *attributes, enum status *status);
// 0, or an errno.
int attributes_apply(const struct attributes *attributes, int fd);
// Makes the directories above `path` that are missing, with the owner in the attributes; 0, or an errno.
int make_parents(const char *path, const struct attributes *attributes);
// Closes a request with the fields of STAT, as this user sees the file.
void file_answer(uint32_t number, const char *path, int at, const char *name, bool with_xattrs);

#endif
