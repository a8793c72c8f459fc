/* How much may go from and to a disk in a second, in the words of both versions of control groups. Best effort: a host may
 * have no such bound, and its disks may not be ones that can be bounded. */
#ifndef THROTTLE_H
#define THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

/* Each per second, and for each direction; 0: no bound. */
typedef struct {
    int64_t bytes;
    int64_t operations;
} rates;

/* Version 1: reads and writes of the group whose directory it is. */
void throttle_device(const char *directory, unsigned major, unsigned minor, rates bound);
/* Version 1: reads only. */
void throttle_reads(const char *directory, unsigned major, unsigned minor, rates bound);
/* Version 2: in a file io.max. */
void throttle_io_max(const char *path, unsigned major, unsigned minor, rates bound, bool writes);
/* The whole disk on which a file is; false if it is on none. */
bool throttle_disk_of(const char *path, unsigned *major, unsigned *minor);
/* Version 1: lifts bounds of loop devices that are nobody's, which a supervisor that was killed left. */
void throttle_forget_dead(const char *directory);

#endif
