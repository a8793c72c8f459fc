/* Requests to the kernel about interfaces, addresses and routes (`man 7 rtnetlink`), each answered before the next. */
#ifndef NETLINK_H
#define NETLINK_H

#include <stdint.h>

/* A socket for the network namespace that the caller is in; it stays there. -1 and errno. */
int netlink_open(void);

/* All return 0, or -1 and errno. Addresses are in the order of the network. */
int netlink_up(int socket, int interface);
/* Lets what is sent over an interface be that large before it is cut ("BIG TCP", Linux 6.3). */
int netlink_carry_big(int socket, int interface, uint32_t bytes);
int netlink_set_mtu(int socket, int interface, uint32_t bytes);
/* A pair of interfaces: `name` here, `peer` in the other namespace. */
int netlink_add_pair(int socket, const char *name, const char *peer, int peer_namespace);
int netlink_add_address(int socket, int interface, uint32_t address, uint8_t prefix);
/* Every address that no longer route names is one of ours. */
int netlink_add_any_local(int socket, int loopback);
/* But this one, which lies behind an interface. */
int netlink_add_neighbour(int socket, int interface, uint32_t address);
int netlink_add_default_route(int socket, int interface, uint32_t gateway);

#endif
