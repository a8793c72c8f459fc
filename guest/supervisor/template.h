/* Templates: read-only file systems that many sandboxes start from. Each is mounted once, in the supervisor's own mount
 * namespace, so that no mount is left when it ends, however it ends. */
#ifndef TEMPLATE_H
#define TEMPLATE_H

/* The directory below which everything of ours is mounted. Makes the private mount namespace. 0, or -1 and errno. */
int template_init(const char *directory);
/* <directory>/mnt */
const char *template_mounts(void);
/* Where an erofs image or a directory is mounted; NULL and errno. */
const char *template_mount(const char *image);

#endif
