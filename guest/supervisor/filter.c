#include "filter.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is not on the list answers ENOSYS: programs then take the older way that they know, and a kernel's newest calls,
 * which nobody has attacked for long, are not reachable. Each group has its reason. */
static const char *const ALLOWED[] = {
    /* files by path: any program reads and writes its own files */
    "access", "faccessat", "faccessat2", "chdir", "fchdir", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown",
    "fchown", "fchownat", "lchown", "creat", "open", "openat", "openat2", "close", "close_range", "getcwd", "getdents",
    "getdents64", "link", "linkat", "symlink", "symlinkat", "readlink", "readlinkat", "mkdir", "mkdirat", "rmdir",
    "unlink", "unlinkat", "rename", "renameat", "renameat2", "stat", "lstat", "fstat", "newfstatat", "fstatat64",
    "statx", "statfs", "fstatfs", "truncate", "ftruncate", "utime", "utimes", "utimensat", "futimesat", "umask",
    "getxattr", "lgetxattr", "fgetxattr", "setxattr", "lsetxattr", "fsetxattr", "listxattr", "llistxattr",
    "flistxattr", "removexattr", "lremovexattr", "fremovexattr",
    /* descriptors: input, output, waiting for either */
    "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2", "lseek",
    "_llseek", "dup", "dup2", "dup3", "fcntl", "flock", "fsync", "fdatasync", "sync", "syncfs", "sync_file_range",
    "fallocate", "fadvise64", "readahead", "copy_file_range", "sendfile", "splice", "tee", "vmsplice", "pipe", "pipe2",
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
    "epoll_pwait2", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime",
    "timerfd_gettime", "inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "io_setup",
    "io_destroy", "io_submit", "io_cancel", "io_getevents",
    /* memory: allocators, JIT compilers, shared memory between processes of one sandbox */
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "mincore", "msync", "mlock", "mlock2", "munlock",
    "mlockall", "munlockall", "memfd_create", "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect", "shmget",
    "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
    "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    /* processes and threads (clone itself: below) */
    "fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "waitpid", "kill", "tkill",
    "tgkill", "pidfd_open", "pidfd_send_signal", "getpid", "getppid", "gettid", "getpgid", "getpgrp", "setpgid",
    "getsid", "setsid", "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "futex", "futex_waitv",
    "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_setparam",
    "sched_getscheduler", "sched_setscheduler", "sched_get_priority_max", "sched_get_priority_min", "sched_getattr",
    "sched_setattr", "sched_rr_get_interval", "getpriority", "setpriority", "ioprio_get", "ioprio_set", "getcpu",
    "getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "sysinfo", "uname", "prctl", "arch_prctl",
    "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "restart_syscall",
    /* users: inside a namespace where nobody has a capability */
    "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "setuid", "setgid", "setreuid",
    "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capget", "capset",
    /* signals and time */
    "rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend",
    "rt_sigtimedwait", "rt_tgsigqueueinfo", "sigaltstack", "pause", "alarm", "getitimer", "setitimer", "nanosleep",
    "clock_gettime", "clock_getres", "clock_nanosleep", "gettimeofday", "time", "timer_create", "timer_delete",
    "timer_gettime", "timer_settime", "timer_getoverrun",
    /* sockets: loopback and what egress opens (socket itself: below) */
    "socketpair", "bind", "listen", "accept", "accept4", "connect", "getsockname", "getpeername", "getsockopt",
    "setsockopt", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "shutdown",
    /* devices: the six harmless ones and terminals of its own */
    "ioctl",
    /* randomness */
    "getrandom",
};

/* These answer EPERM, for programs that ask whether they may. */
static const char *const FORBIDDEN[] = {
    "mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "ptrace", "process_vm_readv", "process_vm_writev",
    "reboot", "swapon", "swapoff", "sethostname", "setdomainname", "init_module", "finit_module", "delete_module",
    "kexec_load", "kexec_file_load", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "acct", "quotactl",
    "syslog", "iopl", "ioperm", "open_by_handle_at", "name_to_handle_at", "bpf", "perf_event_open", "keyctl",
    "add_key", "request_key", "personality", "nfsservctl", "lookup_dcookie", "vhangup", "fanotify_init",
    "move_pages", "migrate_pages", "mbind", "set_mempolicy", "kcmp", "userfaultfd",
};

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
                    CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */)
enum { TYPE_MASK = 0xf };

static int add(scmp_filter_ctx context, uint32_t action, const char *name) {
    int number = seccomp_syscall_resolve_name(name);
    /* This machine's kind of processor has no such call. */
    return number < 0 ? 0 : seccomp_rule_add(context, action, number, 0);
}

static int add_sockets(scmp_filter_ctx context) {
    static const int families[] = {AF_UNIX, AF_INET, AF_INET6};
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    int failure = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (size_t j = 0; j < sizeof types / sizeof *types; j++) {
            failure |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
                                        SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i]),
                                        SCMP_A1(SCMP_CMP_MASKED_EQ, TYPE_MASK, (scmp_datum_t)types[j]));
        }
    }
    /* Which addresses an interface has: getifaddrs. */
    failure |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2, SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
                                SCMP_A2(SCMP_CMP_EQ, NETLINK_ROUTE));
    return failure;
}

static int add_conditional(scmp_filter_ctx context) {
    int failure = 0;
    failure |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, (scmp_datum_t)NAMESPACES, 0));
    failure |= add_sockets(context);
    static const int kinds[] = {S_IFIFO, S_IFREG, S_IFSOCK, 0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scmp_datum_t kind = (scmp_datum_t)kinds[i];
        failure |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mknodat), 1,
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, kind));
#ifdef __NR_mknod
        failure |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mknod), 1,
                                    SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, kind));
#endif
    }
    return failure;
}

int filter_make(void) {
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (context == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int failure = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    /* A balanced tree: the list is long, and each call walks it. */
    failure |= seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++) {
        failure |= add(context, SCMP_ACT_ALLOW, ALLOWED[i]);
    }
    for (size_t i = 0; i < sizeof FORBIDDEN / sizeof *FORBIDDEN; i++) {
        failure |= add(context, SCMP_ACT_ERRNO(EPERM), FORBIDDEN[i]);
    }
    failure |= add_conditional(context);
    int file = failure == 0 ? memfd_create("filter", MFD_CLOEXEC) : -1;
    if (file >= 0 && (seccomp_export_bpf(context, file) != 0 || lseek(file, 0, SEEK_SET) != 0)) {
        close(file);
        file = -1;
    }
    seccomp_release(context);
    return file;
}
