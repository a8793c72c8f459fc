/* A disk of a sandbox's own: an empty ext4 file system, in a file that has no name, behind a loop device. Nothing of it
 * can be left over: the file is gone with the device, the device with the mount, and the mount with the sandbox. */
#ifndef DISK_H
#define DISK_H

#include <sys/types.h>

typedef struct {
    int device;      /* keeps it until it is mounted; -1: none */
    int root;        /* keeps it once it is mounted, for its end; -1: none */
    char path[24];   /* empty: none */
    unsigned number; /* of the loop device */
} disk;

enum { DISK_MAJOR = 7 };

/* Copies an empty file system of the wanted size, and makes a device of the copy. NULL, or what failed, with errno. */
const char *disk_make(disk *made, const char *image);
/* Takes hold of it once it is mounted; without that its end takes the time that it takes to write what is not yet. */
void disk_hold(disk *made);
/* Once it is mounted, or will not be. */
void disk_let_go(disk *made);
/* Ends it when nobody uses it any more, without writing what nobody will read. To give the memory back takes a while: a
 * process does so, whose end is to be waited for. Returns its id, or -1 if there is nothing to wait for. */
pid_t disk_end(disk *made);

#endif
