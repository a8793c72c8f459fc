/* Templates: read-only file systems that many sandboxes start from. Each is mounted once, in the supervisor's own mount
 * namespace, so that no mount is left when it ends, however it ends. */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include <stdint.h>

/* The directory below which everything of ours is mounted. Makes the private mount namespace. 0, or -1 and errno. */
int template_init(const char *directory);
/* <directory>/mnt */
const char *template_mounts(void);
/* Where an erofs image or a directory is mounted, for somebody who gives it back; NULL and errno. */
const char *template_take(const char *image);
/* place: as it was taken, or NULL. now: milliseconds of any clock that only goes on. */
void template_give(const char *place, int64_t now);
/* Unmounts what nobody has had for a while; says in how many milliseconds there may be more to do, -1 for never. */
int template_tidy(int64_t now);

#endif
