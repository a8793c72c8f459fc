/* Requests of the server: lines on standard input. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>

/* Reads what is there and does it; false at the end of standard input. */
bool request_read(void);

#endif
