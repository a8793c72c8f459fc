/* A disk of a sandbox's own: an empty ext4 file system, in a file that has no name, behind a loop device. Nothing of it
 * can be left over: the file is gone with the device, the device with the mount, and the mount with the sandbox. */
#ifndef DISK_H
#define DISK_H

typedef struct {
    int device;      /* keeps it until it is mounted; -1: none */
    char path[24];   /* empty: none */
    unsigned number; /* of the loop device */
} disk;

enum { DISK_MAJOR = 7 };

/* Copies an empty file system of the wanted size, and makes a device of the copy. NULL, or what failed, with errno. */
const char *disk_make(disk *made, const char *image);
/* Once it is mounted, or will not be. */
void disk_let_go(disk *made);

#endif
