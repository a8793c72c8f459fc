#ifndef GLOVEBOX_SCRUB_H
#define GLOVEBOX_SCRUB_H

#include <stddef.h>

/* Zeroes dead memory before wizer takes the image; returns how many bytes. Nothing may run after it. */
size_t scrub(void);

#endif
