#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

enum {
    OPEN_FILES = 65536,
    CAPABILITY_LAST = 63,
    ABI_SCOPES = 6,
};

// Of later kernels than the headers may know.
#define ACCESS_REFER (1ULL << 13)
#define ACCESS_TRUNCATE (1ULL << 14)
#define SCOPES 3ULL

struct ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

bool confine_limits(void) {
    struct rlimit core = {0, 0};
    struct rlimit files;
    if (setrlimit(RLIMIT_CORE, &core) < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0) {
        return false;
    }
    rlim_t most = files.rlim_max < OPEN_FILES ? files.rlim_max : OPEN_FILES;
    files = (struct rlimit){most, most};
    return setrlimit(RLIMIT_NOFILE, &files) == 0;
}

void confine_mark(uint64_t tag) {
    struct rlimit mark = {tag, tag};
    setrlimit(RLIMIT_RTTIME, &mark);
}

bool confine_identity(uid_t uid, gid_t gid, const gid_t *groups, size_t group_count) {
    if (geteuid() != 0) {
        return uid == geteuid(); // not root: there is nobody else to become
    }
    // In a user namespace that does not let groups be set there must be none to lose.
    if (setgroups(group_count, groups) < 0 && getgroups(0, NULL) != 0) {
        return false;
    }
    return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

void confine_bounding(void) {
    for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
}

static bool has_bounding(void) {
    for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
        if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) {
            return true;
        }
    }
    return false;
}

bool confine_privileges(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && (geteuid() != 0 || !has_bounding());
}

static bool is_exempt(const char *name) {
    return strcmp(name, "proc") == 0 || strcmp(name, "sys") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Landlock only allows, so each directory of the root gets a rule but the two.
static void allow_rest(int rules, uint64_t access) {
    DIR *root = opendir("/");
    if (root == NULL) {
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(root)) != NULL) {
        if (is_exempt(entry->d_name) || entry->d_type == DT_LNK) {
            continue;
        }
        struct landlock_path_beneath_attr rule = {.allowed_access = access};
        rule.parent_fd = openat(dirfd(root), entry->d_name, O_PATH | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
        if (rule.parent_fd >= 0) {
            syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
            close(rule.parent_fd);
        }
    }
    closedir(root);
}

static int landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// The ruleset that all children take, and whether the root directory can have changed since it was made: a rule is for a
// directory that exists.
static int ruleset = -1;
static struct timespec ruleset_of;
static bool ruleset_is_settled;

static bool is_current(const struct stat *root) {
    return ruleset >= 0 && ruleset_is_settled && root->st_ctim.tv_sec == ruleset_of.tv_sec
        && root->st_ctim.tv_nsec == ruleset_of.tv_nsec;
}

void confine_prepare(void) {
    struct stat root;
    struct timespec now;
    if (stat("/", &root) == 0 && is_current(&root)) {
        return;
    }
    if (ruleset >= 0) {
        close(ruleset);
        ruleset = -1;
    }
    int version = landlock_version();
    // Without REFER a file cannot move from one directory to another, which is worse than what this guards against.
    if (version < 2) {
        return;
    }
    uint64_t access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE
        | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG
        | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK
        | LANDLOCK_ACCESS_FS_MAKE_SYM | ACCESS_REFER;
    access |= version >= 3 ? ACCESS_TRUNCATE : 0;
    struct ruleset attributes = {.handled_access_fs = access};
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
    if (ruleset < 0) {
        return;
    }
    allow_rest(ruleset, access);
    // A file system's clock may tick as slowly as a hundred times a second: two changes can bear one time.
    clock_gettime(CLOCK_REALTIME, &now);
    ruleset_of = root.st_ctim;
    ruleset_is_settled = now.tv_sec - root.st_ctim.tv_sec > 1;
}

void confine_files(void) {
    if (ruleset >= 0) {
        syscall(SYS_landlock_restrict_self, ruleset, 0);
    }
}

void confine_scope(void) {
    if (landlock_version() < ABI_SCOPES) {
        return;
    }
    // Every ruleset forbids files to move between directories that does not allow it, also one that is about nothing else.
    struct ruleset attributes = {.handled_access_fs = ACCESS_REFER, .scoped = SCOPES};
    int scope = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (scope < 0) {
        return;
    }
    struct landlock_path_beneath_attr everywhere = {.allowed_access = ACCESS_REFER};
    everywhere.parent_fd = open("/", O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (everywhere.parent_fd >= 0) {
        // Without this rule moves are forbidden, which is the lesser evil.
        syscall(SYS_landlock_add_rule, scope, LANDLOCK_RULE_PATH_BENEATH, &everywhere, 0);
        close(everywhere.parent_fd);
    }
    syscall(SYS_landlock_restrict_self, scope, 0);
    close(scope);
}

bool confine_calls(void) {
    if (options.filter.len == 0) {
        return true;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &options.filter, 0, 0) == 0;
}
