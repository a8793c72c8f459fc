/* System calls that the C library has no function for, and small helpers that everything here uses. */
#ifndef SYS_H
#define SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* clone3 without a new stack: returns 0 in the child, the pid in the parent, -1 and errno. */
pid_t sys_clone(uint64_t flags, int *pidfd, int cgroup);
int sys_open_tree(int directory, const char *path, unsigned flags);
int sys_move_mount(int from, const char *from_path, int to, const char *to_path, unsigned flags);
int sys_mount_idmap(int tree, int userns);
int sys_pidfd_kill(int pidfd);

/* Writes text to an existing file in one write; 0 or -1 and errno. */
int write_text(const char *path, const char *text);
int write_number(const char *path, long long number);
/* Makes a file with this content. */
int make_file(const char *path, const char *text, mode_t mode);
/* Makes a directory; no error if it is there. */
int make_directory(const char *path, mode_t mode);
/* Writes all bytes to a descriptor. */
int write_all(int fd, const void *bytes, size_t length);
int sys_fsopen(const char *type);
int sys_fsconfig(int context, unsigned command, const char *key, const char *value);
int sys_fsmount(int context);
/* A pair of connected sockets. */
int socketpair_cloexec(int ends[2]);
/* snprintf that says whether everything fitted. */
bool format(char *buffer, size_t size, const char *pattern, ...) __attribute__((format(printf, 3, 4)));

#endif
