/* Memory that an agent and the server share, for the content of files (docs/agent-protocol.md, SHARED): a lane for each
 * direction. Its size is sealed, so that nobody who has it mapped is ever cut off. */
#ifndef LANES_H
#define LANES_H

#include <stdint.h>

typedef struct {
    int fd;       /* -1: none */
    uint64_t ino; /* told to the server, which opens it by our number of it: never given to another */
} lanes;

/* 0, or -1 and errno. No page of it is there until it is used. */
int lanes_make(lanes *made);
void lanes_end(lanes *made);

#endif
