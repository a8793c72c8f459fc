/* Steers every TCP connection to one socket, wherever it wants to go: a BPF program that the kernel asks when it looks
 * for the socket of a new connection (`Documentation/bpf/prog_sk_lookup.rst`). */
#ifndef STEER_H
#define STEER_H

#include <stdint.h>

/* What has to stay open; -1: not open. */
typedef struct {
    int listener; /* leads the group of those that may accept */
    int link;     /* keeps the program where it is */
} steering;

/* In the network namespace that the caller is in, which `namespace` is. Connections go to the second socket that listens
 * at the listener's address (SO_REUSEPORT): so who opens it needs to hand over nothing. Those to 127.0.0.0/8 are left
 * alone. Datagrams that nobody takes are told of under this number (datagrams.h). NULL, or what failed. */
const char *steer(int namespace, uint32_t number, steering *made);
void steer_end(steering *made);

#endif
