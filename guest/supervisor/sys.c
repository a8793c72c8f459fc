#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t sys_clone(uint64_t flags, int *pidfd, int cgroup) {
    struct clone_args args = {
        .flags = flags | CLONE_PIDFD | (cgroup >= 0 ? CLONE_INTO_CGROUP : 0),
        .pidfd = (uint64_t)(uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
        .cgroup = cgroup >= 0 ? (uint64_t)cgroup : 0,
    };
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

int sys_open_tree(int directory, const char *path, unsigned flags) {
    return (int)syscall(SYS_open_tree, directory, path, flags);
}

int sys_move_mount(int from, const char *from_path, int to, const char *to_path, unsigned flags) {
    return (int)syscall(SYS_move_mount, from, from_path, to, to_path, flags);
}

int sys_fsopen(const char *type) {
    return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

int sys_fsconfig(int context, unsigned command, const char *key, const char *value) {
    return (int)syscall(SYS_fsconfig, context, command, key, value, 0);
}

int sys_fsmount(int context) {
    return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
}

int sys_mount_idmap(int tree, int userns) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)userns};
    return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
}

int sys_pidfd_kill(int pidfd) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

int write_all(int fd, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t count = write(fd, at, length);
        if (count < 0) {
            if (errno == EINTR) {
                continue;
            }
            return -1;
        }
        at += count;
        length -= (size_t)count;
    }
    return 0;
}

int write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    size_t length = strlen(text);
    ssize_t count = write(fd, text, length);
    int failure = count == (ssize_t)length ? 0 : (count < 0 ? errno : EIO);
    close(fd);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

int write_number(const char *path, long long number) {
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return write_text(path, text);
}

int make_file(const char *path, const char *text, mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) {
        return -1;
    }
    int failure = write_all(fd, text, strlen(text)) == 0 ? 0 : errno;
    close(fd);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

int make_directory(const char *path, mode_t mode) {
    return mkdir(path, mode) == 0 || errno == EEXIST ? 0 : -1;
}

bool format(char *buffer, size_t size, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    int length = vsnprintf(buffer, size, pattern, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < size;
}

int socketpair_cloexec(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}
