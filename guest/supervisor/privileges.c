#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPEN_FILES_DEFAULT = 65536, USER = 1000, LOCKED_BYTES = 64 * 1024 };

static void limit(const plan *p, int what, rlim_t value) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0) {
        plan_fail(p, "a resource limit cannot be read");
    }
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) {
        value = now.rlim_max;
    }
    struct rlimit next = {.rlim_cur = value, .rlim_max = value};
    if (setrlimit((__rlimit_resource_t)what, &next) != 0) {
        plan_fail(p, "a resource limit cannot be set");
    }
}

void privileges_limit(const plan *p) {
    limit(p, RLIMIT_CORE, 0);
    limit(p, RLIMIT_NOFILE, p->spec->open_files > 0 ? (rlim_t)p->spec->open_files : OPEN_FILES_DEFAULT);
    limit(p, RLIMIT_MEMLOCK, LOCKED_BYTES);
    limit(p, RLIMIT_MSGQUEUE, 0);
}

void privileges_enter_users(const plan *p) {
    if (setns(p->userns, CLONE_NEWUSER) != 0 || setgroups(0, NULL) != 0 || setresgid(0, 0, 0) != 0 ||
        setresuid(0, 0, 0) != 0) {
        plan_fail(p, "the sandbox's users cannot be entered");
    }
}

static void set_capabilities(const plan *p, uint64_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = (uint32_t)kept, .permitted = (uint32_t)kept},
        {.effective = (uint32_t)(kept >> 32), .permitted = (uint32_t)(kept >> 32)},
    };
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if ((kept >> capability & 1) == 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) {
            plan_fail(p, "a capability cannot be given up");
        }
    }
    if (syscall(SYS_capset, &header, data) != 0) {
        plan_fail(p, "the capabilities cannot be set");
    }
}

static void keep(const plan *p, const int *kept, size_t count) {
    uint64_t set = 0;
    for (size_t i = 0; i < count; i++) {
        set |= 1ULL << kept[i];
    }
    set_capabilities(p, set);
    /* Across exec the permitted set of root is what the bounding set leaves: the kept ones. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        plan_fail(p, "no_new_privs cannot be set");
    }
}

void privileges_keep_agents(const plan *p) {
    static const int kept[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID,
                               CAP_SETUID, CAP_SETGID,       CAP_KILL,            CAP_SETPCAP};
    keep(p, kept, sizeof kept / sizeof *kept);
}

void privileges_keep_zygotes(const plan *p) {
    /* PTRACE: the descriptor of a process is a way into its namespaces for those who might trace it. */
    static const int kept[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SYS_PTRACE};
    keep(p, kept, sizeof kept / sizeof *kept);
}

static void load_filter(const plan *p) {
    struct stat status;
    if (fstat(p->filter, &status) != 0) {
        plan_fail(p, "the filter cannot be read");
    }
    size_t size = (size_t)status.st_size;
    struct sock_filter *program = malloc(size);
    if (program == NULL || pread(p->filter, program, size, 0) != (ssize_t)size) {
        plan_fail(p, "the filter cannot be read");
    }
    struct sock_fprog filter = {.len = (unsigned short)(size / sizeof *program), .filter = program};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
        plan_fail(p, "the filter cannot be loaded");
    }
}

void privileges_drop_all(const plan *p) {
    if (setresgid(USER, USER, USER) != 0 || prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0) {
        plan_fail(p, "the group cannot be changed");
    }
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) {
            plan_fail(p, "a capability cannot be given up");
        }
    }
    if (setresuid(USER, USER, USER) != 0) {
        plan_fail(p, "the user cannot be changed");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        plan_fail(p, "no_new_privs cannot be set");
    }
    load_filter(p);
}
