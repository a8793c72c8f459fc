/* Moving a process into a control group waits until all processors have passed a quiet state (8 to 10 ms on an idle
 * machine), unless the host is told that groups change often: an option of its control groups, favordynmods (Linux 6.0).
 * It makes fork and exit a little slower for all. Source: Documentation/admin-guide/cgroup-v2.rst, "Mounting". */
#ifndef DYNMODS_H
#define DYNMODS_H

/* Tells it, if nobody has; best effort. place: an empty directory that nobody else sees. */
void dynmods_favor(const char *place);
/* Takes it back, if it was we who told it. */
void dynmods_restore(void);

#endif
