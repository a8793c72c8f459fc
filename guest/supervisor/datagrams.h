/* What the steering program tells of datagrams that nobody takes: where they wanted to go. The kernel refuses them by
 * itself; this is for the record. */
#ifndef DATAGRAMS_H
#define DATAGRAMS_H

#include <stdint.h>

typedef struct {
    uint32_t sandbox; /* the number that was given to steer() */
    uint32_t address; /* in the order of the network */
    uint32_t port;
    uint32_t unused;
} datagram;

/* The ring into which the programs write; -1 and errno. */
int datagrams_init(void);
/* The ring's descriptor, for programs. */
int datagrams_ring(void);
/* Hands in what has come since the last time. */
void datagrams_read(void (*each)(const datagram *one));

#endif
