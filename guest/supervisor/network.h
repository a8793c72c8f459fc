/* The network of a sandbox: everything that it sends arrives at sockets that the server opens in one namespace. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "steer.h"

/* Where the server's sockets listen in that namespace: 127.127.127.127, port 1; no guest can bind there. */
enum { NETWORK_LISTENER = 0x7f7f7f7f, NETWORK_PORT = 1 };
/* What a guest with a stack of its own has for a gateway and a name server, and its own address: 10.254.254.1 and .2. */
enum { NETWORK_GATE = 0x0afefe01, NETWORK_GUEST = 0x0afefe02, NETWORK_PREFIX = 30 };

typedef struct {
    int namespace; /* where everything arrives; -1: there is no network */
    uint32_t number; /* by which datagrams that nobody takes are told of */
    uint64_t cookie; /* the kernel's number of the namespace, which no other ever gets */
    steering steering;
} network;

/* NULL, or why sandboxes have no network on this host. */
const char *network_init(void);

/* Prepares the network namespace of a process that has not begun yet. NULL, or what failed.
 *
 * here: everything arrives in the very namespace, in which every address is local. Else at the other end of a pair of
 * interfaces, in a namespace that is made for it: for a guest that brings a stack of its own. */
const char *network_make(network *made, int pidfd, bool here);
void network_end(network *made);
/* The content of /etc/resolv.conf for a sandbox with a network. */
extern const char network_names[];

#endif
