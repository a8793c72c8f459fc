/* Requests to the kernel about interfaces, addresses and routes (`man 7 rtnetlink`), each answered before the next. */
#ifndef NETLINK_H
#define NETLINK_H

#include <stdint.h>

/* A socket for the network namespace that the caller is in; it stays there. -1 and errno. */
int netlink_open(void);

/* All return 0, or -1 and errno. Addresses are in the order of the network. */
int netlink_up(int socket, int interface);
/* A pair of interfaces: `name` here, `peer` in the other namespace. */
int netlink_add_pair(int socket, const char *name, const char *peer, int peer_namespace);
int netlink_add_address(int socket, int interface, uint32_t address, uint8_t prefix);
/* Every address is one of ours, for whoever looks into this table. */
int netlink_add_any_local(int socket, int loopback, uint32_t table);
/* What comes in by this interface looks into this table first. */
int netlink_add_rule(int socket, const char *interface, uint32_t table);
int netlink_add_default_route(int socket, int interface, uint32_t gateway);

#endif
