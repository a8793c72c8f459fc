#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "options.h"
#include "paths.h"
#include "removal.h"
#include "settings.h"

enum { PERMISSION_BITS = 07777, XATTRS_BYTES_MAX = 32 * 1024, XATTR_VALUE_MAX = 8 * 1024 };

enum status file_status(int error, const char **message) {
    switch (error) {
    case ENOENT:
        *message = "no such file or directory";
        return STATUS_NOT_FOUND;
    case EEXIST:
        *message = "it exists already";
        return STATUS_ALREADY_EXISTS;
    case ENOTDIR:
        *message = "not a directory";
        return STATUS_NOT_A_DIRECTORY;
    case EISDIR:
        *message = "is a directory";
        return STATUS_IS_A_DIRECTORY;
    case ENOTEMPTY:
        *message = "the directory is not empty";
        return STATUS_NOT_EMPTY;
    case EPERM:
    case EACCES:
        *message = "this user has not the permission";
        return STATUS_PERMISSION;
    case EROFS:
        *message = "the file system is read-only";
        return STATUS_PERMISSION;
    case ENOSPC:
    case EDQUOT:
        *message = "the sandbox's disk is full";
        return STATUS_NO_SPACE;
    case EFBIG:
    case EMLINK:
        *message = "a bound of the file system is reached";
        return STATUS_NO_SPACE;
    case EMFILE:
    case ENFILE:
        *message = "too many files are open";
        return STATUS_TOO_MANY;
    case EOPNOTSUPP:
        *message = "the file system has no such attributes";
        return STATUS_UNSUPPORTED;
    case ENOMEM:
        *message = "there is no memory for this";
        return STATUS_FAILED;
    case ELOOP:
        *message = "too many symbolic links";
        return STATUS_INVALID;
    case ENAMETOOLONG:
        *message = "a name or path is too long";
        return STATUS_INVALID;
    case EBUSY:
        *message = "it is in use, for example as a mount point";
        return STATUS_INVALID;
    case EXDEV:
        *message = "it cannot move to another file system";
        return STATUS_INVALID;
    case EIO:
        *message = "the disk failed";
        return STATUS_FAILED;
    default:
        *message = "the file system refused this";
        return STATUS_INVALID;
    }
}

void file_refuse(uint32_t number, int error) {
    const char *message;
    enum status status = file_status(error, &message);
    channel_refuse(number, status, message);
}

bool file_subject(uint32_t number, const struct fields *fields, struct user *user, char path[PATH_MAX]) {
    enum status status;
    const char *wrong = settings_user(fields, user, &status);
    if (wrong == NULL && path_field(fields, TAG_PATH, path) != FIELD_FOUND) {
        status = STATUS_INVALID;
        wrong = "PATH is missing, or is no absolute path of at most 4096 bytes";
    }
    if (wrong != NULL) {
        channel_refuse(number, status, wrong);
    }
    return wrong == NULL;
}

static enum file_type type_of(mode_t mode) {
    return S_ISREG(mode) ? FILE_TYPE_FILE
        : S_ISDIR(mode)  ? FILE_TYPE_DIRECTORY
        : S_ISLNK(mode)  ? FILE_TYPE_LINK
                         : FILE_TYPE_OTHER;
}

// Only the names that users may give: the others are the system's.
static void add_xattrs(struct bytes *record, int at, const char *name) {
    char names[XATTRS_BYTES_MAX];
    char value[XATTR_VALUE_MAX];
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    ssize_t length = fd < 0 ? -1 : flistxattr(fd, names, sizeof names);
    for (ssize_t i = 0; i < length; i += (ssize_t)strlen(names + i) + 1) {
        ssize_t size = strncmp(names + i, "user.", 5) == 0 ? fgetxattr(fd, names + i, value, sizeof value) : -1;
        if (size >= 0 && record->length < XATTRS_BYTES_MAX) {
            put_foreign(record, TAG_XATTR_NAME, names + i, strlen(names + i));
            put_bytes(record, TAG_XATTR_VALUE, value, (size_t)size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

bool file_describe(struct bytes *record, const char *path, int at, const char *name, bool with_xattrs) {
    struct stat stat;
    char owner[USER_NAME_MAX];
    if (fstatat(at, name, &stat, AT_SYMLINK_NOFOLLOW) < 0) {
        return false;
    }
    int64_t modified = (int64_t)stat.st_mtim.tv_sec * 1000000 + stat.st_mtim.tv_nsec / 1000;
    put_foreign(record, TAG_PATH, path, strlen(path));
    put_number(record, TAG_FILE_TYPE, type_of(stat.st_mode));
    put_number(record, TAG_FILE_SIZE, stat.st_size > 0 ? (uint64_t)stat.st_size : 0);
    put_number(record, TAG_FILE_MODE, stat.st_mode & PERMISSION_BITS);
    put_number(record, TAG_FILE_MODIFIED, modified > 0 ? (uint64_t)modified : 0);
    user_name_of(stat.st_uid, owner, sizeof owner);
    put_foreign(record, TAG_FILE_OWNER, owner, strlen(owner));
    group_name_of(stat.st_gid, owner, sizeof owner);
    put_foreign(record, TAG_FILE_GROUP, owner, strlen(owner));
    if (S_ISLNK(stat.st_mode)) {
        char target[PATH_MAX];
        ssize_t length = readlinkat(at, name, target, sizeof target);
        put_foreign(record, TAG_LINK_TARGET, target, length > 0 ? (size_t)length : 0);
    } else if (with_xattrs && (S_ISREG(stat.st_mode) || S_ISDIR(stat.st_mode))) {
        add_xattrs(record, at, name);
    }
    return true;
}

void file_answer(uint32_t number, const char *path, int at, const char *name, bool with_xattrs) {
    struct bytes close = {0};
    put_number(&close, TAG_STATUS, STATUS_OK);
    if (file_describe(&close, path, at, name, with_xattrs)) {
        channel_answer(number, &close);
    } else {
        file_refuse(number, errno);
    }
    bytes_free(&close);
}

const char *attributes_read(const struct fields *fields, struct attributes *attributes, enum status *status) {
    uint64_t mode = 0;
    char name[USER_NAME_MAX];
    struct user owner;
    *status = STATUS_INVALID;
    *attributes = (struct attributes){.uid = (uid_t)-1, .gid = (gid_t)-1, .fields = *fields};
    enum found found = fields_number(fields, TAG_FILE_MODE, &mode);
    if (found == FIELD_BROKEN) {
        return "FILE_MODE is no number";
    }
    attributes->has_mode = found == FIELD_FOUND;
    attributes->mode = (mode_t)(mode & PERMISSION_BITS);
    found = fields_text(fields, TAG_FILE_OWNER, name, sizeof name);
    if (found == FIELD_FOUND && user_find(name, &owner)) {
        attributes->uid = owner.uid;
        attributes->gid = owner.gid;
    } else if (found != FIELD_ABSENT) {
        *status = STATUS_NOT_FOUND;
        return "the sandbox has no user of the name in FILE_OWNER";
    }
    found = fields_text(fields, TAG_FILE_GROUP, name, sizeof name);
    if (found != FIELD_ABSENT && (found == FIELD_BROKEN || !group_find(name, &attributes->gid))) {
        *status = STATUS_NOT_FOUND;
        return "the sandbox has no group of the name in FILE_GROUP";
    }
    attributes->has_owner = attributes->uid != (uid_t)-1 || attributes->gid != (gid_t)-1;
    size_t offset = 0;
    struct field field;
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_XATTR_NAME
            && (field.length < 6 || field.length > 255 || memcmp(field.data, "user.", 5) != 0
                || memchr(field.data, 0, field.length) != NULL)) {
            return "the name of an extended attribute is user. and 1 to 250 bytes more";
        }
    }
    return NULL;
}

static int apply_xattrs(const struct fields *fields, int fd) {
    char name[256] = "";
    size_t offset = 0;
    struct field field;
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_XATTR_NAME) {
            memcpy(name, field.data, field.length); // its length was checked when it was read
            name[field.length] = '\0';
        } else if (field.tag == TAG_XATTR_VALUE && name[0] != '\0') {
            if (fsetxattr(fd, name, field.data, field.length, 0) < 0) {
                return errno;
            }
            name[0] = '\0';
        }
    }
    return 0;
}

int attributes_apply(const struct attributes *attributes, int fd) {
    // First what an owner may do, then the owner; the mode last, because a change of owner takes set-id bits away.
    int error = apply_xattrs(&attributes->fields, fd);
    if (error == 0 && attributes->has_owner && fchown(fd, attributes->uid, attributes->gid) < 0) {
        error = errno;
    }
    if (error == 0 && attributes->has_mode && fchmod(fd, attributes->mode) < 0) {
        error = errno;
    }
    return error;
}

// Whether a directory that could not be made does not matter, because it is there.
static bool is_there_already(const char *path, int error) {
    struct stat stat;
    return error == EEXIST || ((error == EROFS || error == EACCES || error == EPERM) && lstat(path, &stat) == 0);
}

int make_parents(const char *path, const struct attributes *attributes) {
    char parent[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        memcpy(parent, path, (size_t)(slash - path));
        parent[slash - path] = '\0';
        if (mkdir(parent, 0755) == 0) {
            // Not through a link that somebody may put in its place meanwhile.
            if (attributes->has_owner && lchown(parent, attributes->uid, attributes->gid) < 0) {
                return errno;
            }
            continue;
        }
        int error = errno;
        // What is there already may be anything: the next step finds out.
        if (!is_there_already(parent, error)) {
            return error;
        }
    }
    return 0;
}

static int make_directory(const char *path, bool recursive, const struct attributes *attributes) {
    int error = recursive ? make_parents(path, attributes) : 0;
    if (error != 0) {
        return error;
    }
    if (mkdir(path, attributes->has_mode ? attributes->mode & 0777 : 0755) < 0) {
        error = errno;
        struct stat stat;
        bool exists = error == EEXIST && recursive && fstatat(AT_FDCWD, path, &stat, 0) == 0;
        if (!exists || !S_ISDIR(stat.st_mode)) {
            return exists ? EEXIST : error;
        }
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return attributes->has_mode || attributes->has_owner ? errno : 0;
    }
    error = attributes_apply(attributes, fd);
    close(fd);
    return error;
}

static void make_directory_request(uint32_t number, const struct fields *fields, const char *path) {
    struct attributes attributes;
    enum status status;
    const char *wrong = attributes_read(fields, &attributes, &status);
    if (wrong != NULL) {
        channel_refuse(number, status, wrong);
        return;
    }
    int error = make_directory(path, fields_flag(fields, TAG_RECURSIVE), &attributes);
    if (error != 0) {
        file_refuse(number, error);
    } else {
        file_answer(number, path, AT_FDCWD, path, fields_flag(fields, TAG_XATTRS));
    }
}

static int move(const char *path, const char *target, bool recursive, const struct attributes *attributes) {
    struct stat stat;
    if (lstat(path, &stat) < 0) {
        return errno; // before anything is made for it
    }
    int error = recursive ? make_parents(target, attributes) : 0;
    return error == 0 && rename(path, target) < 0 ? errno : error;
}

static void move_request(uint32_t number, const struct fields *fields, const char *path) {
    char target[PATH_MAX];
    struct attributes attributes;
    enum status status;
    const char *wrong = attributes_read(fields, &attributes, &status);
    if (wrong != NULL) {
        channel_refuse(number, status, wrong);
        return;
    }
    if (path_field(fields, TAG_TARGET_PATH, target) != FIELD_FOUND) {
        channel_refuse(number, STATUS_INVALID, "TARGET_PATH is missing, or is no absolute path");
        return;
    }
    int error = move(path, target, fields_flag(fields, TAG_RECURSIVE), &attributes);
    if (error != 0) {
        file_refuse(number, error);
    } else {
        file_answer(number, target, AT_FDCWD, target, fields_flag(fields, TAG_XATTRS));
    }
}

static void remove_request(uint32_t number, const struct fields *fields, const char *path, const struct user *user) {
    struct stat stat;
    if (strcmp(path, "/") == 0) {
        channel_refuse(number, STATUS_INVALID, "/ cannot be removed");
    } else if (lstat(path, &stat) < 0) {
        file_refuse(number, errno);
    } else if (!S_ISDIR(stat.st_mode)) {
        if (unlink(path) < 0) {
            file_refuse(number, errno);
        } else {
            channel_refuse(number, STATUS_OK, NULL);
        }
    } else if (rmdir(path) == 0) {
        channel_refuse(number, STATUS_OK, NULL);
    } else if ((errno == ENOTEMPTY || errno == EEXIST) && fields_flag(fields, TAG_RECURSIVE)) {
        removal_begin(number, path, user);
    } else {
        file_refuse(number, errno == EEXIST ? ENOTEMPTY : errno);
    }
}

void files_request(enum request_kind kind, uint32_t number, const struct fields *fields) {
    struct user user;
    char path[PATH_MAX];
    if (!file_subject(number, fields, &user, path)) {
        return;
    }
    if (!user_enter(&user)) {
        channel_refuse(number, STATUS_FAILED, "the agent cannot act as this user");
        return;
    }
    switch (kind) {
    case REQUEST_STAT:
        file_answer(number, path, AT_FDCWD, path, fields_flag(fields, TAG_XATTRS));
        break;
    case REQUEST_MAKE_DIRECTORY:
        make_directory_request(number, fields, path);
        break;
    case REQUEST_MOVE:
        move_request(number, fields, path);
        break;
    default:
        remove_request(number, fields, path, &user);
        break;
    }
    user_leave();
}
