#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "datagrams.h"
#include "netlink.h"
#include "sys.h"

enum {
    LOOPBACK = 1,
    /* As large as the kernel lets a packet be (GSO_MAX_SIZE, 8 * 65535). */
    BIG_BYTES = 524280,
    /* No wire is between the ends of a pair: gVisor's stack counts its windows in packets, and handles whole ones. */
    PAIR_MTU = 65535,
};
#define GATE_NAME "gate"
#define GUEST_NAME "eth0"

const char network_names[] = "nameserver 10.254.254.1\n";

static int own = -1;

static int open_current(void) {
    return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

static void return_home(void) {
    int failure = errno;
    if (setns(own, CLONE_NEWNET) != 0) {
        /* All that follows would be done in a sandbox's namespace. */
        abort();
    }
    errno = failure;
}

/* In the namespace where everything arrives. */
static const char *make_local(network *made, int link) {
    if (netlink_up(link, LOOPBACK) != 0 || netlink_add_any_local(link, LOOPBACK) != 0) {
        return "the network namespace's routes cannot be set";
    }
    const char *failure = steer(made->namespace, made->number, &made->steering);
    socklen_t size = sizeof made->cookie;
    if (failure == NULL &&
        getsockopt(made->steering.listener, SOL_SOCKET, SO_NETNS_COOKIE, &made->cookie, &size) != 0) {
        failure = "the network namespace's cookie cannot be read (needs Linux 5.14)";
    }
    return failure;
}

static const char *make_here(network *made, int pidfd) {
    if (setns(pidfd, CLONE_NEWNET) != 0 || (made->namespace = open_current()) < 0) {
        return "the sandbox's network namespace cannot be entered";
    }
    int link = netlink_open();
    if (link < 0) {
        return "rtnetlink cannot be reached";
    }
    const char *failure = make_local(made, link);
    /* Programs that ask for addresses only where there is a network (AI_ADDRCONFIG) look for one of these. */
    if (failure == NULL && netlink_add_address(link, LOOPBACK, htonl(NETWORK_GUEST), 32) != 0) {
        failure = "the sandbox cannot be given an address";
    }
    /* Each passes the whole stack once, and costs as much as a small one: half the time for the same bytes. A kernel that
     * is too old for it does without. */
    (void)netlink_carry_big(link, LOOPBACK, BIG_BYTES);
    close(link);
    /* Root inside has no capability over this namespace, yet expects to serve at port 80. */
    if (failure == NULL && write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0") != 0) {
        failure = "low ports cannot be opened to the sandbox";
    }
    return failure;
}

static const char *make_guest_end(int link) {
    int index = (int)if_nametoindex(GUEST_NAME);
    if (index == 0 || netlink_up(link, LOOPBACK) != 0 || netlink_set_mtu(link, index, PAIR_MTU) != 0 ||
        netlink_up(link, index) != 0 ||
        netlink_add_address(link, index, htonl(NETWORK_GUEST), NETWORK_PREFIX) != 0 ||
        netlink_add_default_route(link, index, htonl(NETWORK_GATE)) != 0) {
        return "the sandbox's interface cannot be set up";
    }
    return NULL;
}

/* Every address is local, but for the guest's own, to which answers have to find their way. So what comes in with
 * another one for its sender is dropped by the kernel: a local address cannot come from outside. */
static const char *make_gate_end(network *made, int link, int guest) {
    if (netlink_add_pair(link, GATE_NAME, GUEST_NAME, guest) != 0) {
        return "a pair of interfaces cannot be made";
    }
    int index = (int)if_nametoindex(GATE_NAME);
    if (index == 0 || netlink_set_mtu(link, index, PAIR_MTU) != 0 || netlink_up(link, index) != 0 ||
        netlink_add_address(link, index, htonl(NETWORK_GATE), NETWORK_PREFIX) != 0 ||
        netlink_add_neighbour(link, index, htonl(NETWORK_GUEST)) != 0) {
        return "the gate's interface cannot be set up";
    }
    return make_local(made, link);
}

static const char *make_gate(network *made, int pidfd) {
    const char *failure = NULL;
    int guest = -1;
    int guest_link = -1;
    int gate_link = -1;
    if (setns(pidfd, CLONE_NEWNET) != 0 || (guest = open_current()) < 0 || (guest_link = netlink_open()) < 0) {
        failure = "the sandbox's network namespace cannot be entered";
    } else if (unshare(CLONE_NEWNET) != 0 || (made->namespace = open_current()) < 0 || (gate_link = netlink_open()) < 0) {
        failure = "a network namespace cannot be made";
    } else {
        failure = make_gate_end(made, gate_link, guest);
    }
    if (failure == NULL) {
        failure = setns(guest, CLONE_NEWNET) != 0 ? "the sandbox's network namespace cannot be entered"
                                                  : make_guest_end(guest_link);
    }
    int number = errno;
    int all[] = {guest, guest_link, gate_link};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
    errno = number;
    return failure;
}

const char *network_make(network *made, int pidfd, bool here) {
    const char *failure = here ? make_here(made, pidfd) : make_gate(made, pidfd);
    return_home();
    if (failure != NULL) {
        int number = errno;
        network_end(made);
        errno = number;
    }
    return failure;
}

void network_end(network *made) {
    steer_end(&made->steering);
    if (made->namespace >= 0) {
        close(made->namespace);
        made->namespace = -1;
    }
}

const char *network_init(void) {
    network probe = {.namespace = -1, .steering = {.listener = -1, .link = -1}};
    if (datagrams_init() != 0) {
        return "a BPF ring cannot be made";
    }
    own = open_current();
    if (own < 0 || unshare(CLONE_NEWNET) != 0) {
        return "a network namespace cannot be made";
    }
    const char *failure = NULL;
    int link = netlink_open();
    if ((probe.namespace = open_current()) < 0 || link < 0) {
        failure = "a network namespace cannot be opened";
    } else {
        failure = make_local(&probe, link);
    }
    if (link >= 0) {
        close(link);
    }
    return_home();
    network_end(&probe);
    return failure;
}
