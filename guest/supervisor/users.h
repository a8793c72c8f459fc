/* User namespaces. Every sandbox has a range of 65,536 users of its own, none of which exists on the host, so that what
 * gets out of one sandbox owns nothing elsewhere, in other sandboxes neither. */
#ifndef USERS_H
#define USERS_H

#include <stdint.h>

enum { USERS_SLOTS_MAX = 16384 };

/* Takes a free range. Its number, or -1 and errno. */
int users_take(void);
void users_give_back(int slot);
/* The host's user that is root in a range. */
uint32_t users_root(int slot);
/* A descriptor of the range's user namespace, made at first use and kept; -1 and errno. Inside it no further namespace
 * can be made. */
int users_namespace(int slot);

#endif
