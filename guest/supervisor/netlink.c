#include "netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MESSAGE_BYTES = 512,
    /* IFLA_GSO_IPV4_MAX_SIZE and its like, which are in no header before Linux 6.3. */
    GSO_IPV4_MAX_SIZE = 63,
    GRO_IPV4_MAX_SIZE = 64,
};

typedef struct {
    struct nlmsghdr header;
    char body[MESSAGE_BYTES];
} message;

static void begin(message *m, uint16_t type, uint16_t flags, const void *head, size_t length) {
    memset(m, 0, sizeof *m);
    m->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(length);
    m->header.nlmsg_type = type;
    m->header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
    memcpy(NLMSG_DATA(&m->header), head, length);
}

static char *end_of(message *m) {
    return (char *)m + NLMSG_ALIGN(m->header.nlmsg_len);
}

static void put(message *m, uint16_t type, const void *data, size_t length) {
    struct rtattr attribute = {.rta_len = (uint16_t)RTA_LENGTH(length), .rta_type = type};
    char *at = end_of(m);
    memcpy(at, &attribute, sizeof attribute);
    if (length > 0) {
        memcpy(at + RTA_LENGTH(0), data, length);
    }
    m->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->header.nlmsg_len) + RTA_ALIGN(attribute.rta_len));
}

static void put_number(message *m, uint16_t type, uint32_t number) {
    put(m, type, &number, sizeof number);
}

static void put_text(message *m, uint16_t type, const char *text) {
    put(m, type, text, strlen(text) + 1);
}

/* An attribute that holds others: what is put until its end. */
static char *open_nest(message *m, uint16_t type) {
    char *at = end_of(m);
    put(m, type, NULL, 0);
    return at;
}

static void close_nest(message *m, char *nest) {
    uint16_t length = (uint16_t)(end_of(m) - nest);
    memcpy(nest, &length, sizeof length);
}

static int ask(int fd, message *m) {
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char more[MESSAGE_BYTES];
    } answer;
    if (send(fd, m, m->header.nlmsg_len, 0) < 0) {
        return -1;
    }
    ssize_t length = recv(fd, &answer, sizeof answer, 0);
    if (length < 0) {
        return -1;
    }
    if ((size_t)length < NLMSG_LENGTH(sizeof answer.error) || answer.header.nlmsg_type != NLMSG_ERROR) {
        errno = EPROTO;
        return -1;
    }
    errno = -answer.error.error;
    return answer.error.error == 0 ? 0 : -1;
}

int netlink_open(void) {
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

int netlink_up(int socket, int interface) {
    message m;
    struct ifinfomsg head = {.ifi_index = interface, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
    begin(&m, RTM_NEWLINK, 0, &head, sizeof head);
    return ask(socket, &m);
}

int netlink_carry_big(int socket, int interface, uint32_t bytes) {
    message m;
    struct ifinfomsg head = {.ifi_index = interface};
    begin(&m, RTM_NEWLINK, 0, &head, sizeof head);
    put_number(&m, GSO_IPV4_MAX_SIZE, bytes);
    put_number(&m, GRO_IPV4_MAX_SIZE, bytes);
    return ask(socket, &m);
}

int netlink_set_mtu(int socket, int interface, uint32_t bytes) {
    message m;
    struct ifinfomsg head = {.ifi_index = interface};
    begin(&m, RTM_NEWLINK, 0, &head, sizeof head);
    put_number(&m, IFLA_MTU, bytes);
    return ask(socket, &m);
}

int netlink_add_pair(int socket, const char *name, const char *peer, int peer_namespace) {
    message m;
    struct ifinfomsg head = {.ifi_index = 0};
    begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof head);
    put_text(&m, IFLA_IFNAME, name);
    char *info = open_nest(&m, IFLA_LINKINFO);
    put_text(&m, IFLA_INFO_KIND, "veth");
    char *data = open_nest(&m, IFLA_INFO_DATA);
    char *other = open_nest(&m, VETH_INFO_PEER);
    /* Its own head comes first. */
    memcpy(end_of(&m), &head, sizeof head);
    m.header.nlmsg_len += (uint32_t)NLMSG_ALIGN(sizeof head);
    put_text(&m, IFLA_IFNAME, peer);
    put_number(&m, IFLA_NET_NS_FD, (uint32_t)peer_namespace);
    close_nest(&m, other);
    close_nest(&m, data);
    close_nest(&m, info);
    return ask(socket, &m);
}

int netlink_add_address(int socket, int interface, uint32_t address, uint8_t prefix) {
    message m;
    struct ifaddrmsg head = {.ifa_family = AF_INET, .ifa_prefixlen = prefix, .ifa_index = (uint32_t)interface};
    begin(&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof head);
    put_number(&m, IFA_LOCAL, address);
    put_number(&m, IFA_ADDRESS, address);
    return ask(socket, &m);
}

static int add_route(int socket, struct rtmsg head, int interface, uint32_t to, uint32_t gateway) {
    message m;
    head.rtm_family = AF_INET;
    head.rtm_protocol = RTPROT_STATIC;
    begin(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof head);
    put_number(&m, RTA_OIF, (uint32_t)interface);
    if (to != 0) {
        put_number(&m, RTA_DST, to);
    }
    if (gateway != 0) {
        put_number(&m, RTA_GATEWAY, gateway);
    }
    return ask(socket, &m);
}

int netlink_add_any_local(int socket, int loopback) {
    struct rtmsg head = {.rtm_table = RT_TABLE_LOCAL, .rtm_type = RTN_LOCAL, .rtm_scope = RT_SCOPE_HOST};
    return add_route(socket, head, loopback, 0, 0);
}

int netlink_add_neighbour(int socket, int interface, uint32_t address) {
    /* In the same table, which is asked before all others. */
    struct rtmsg head = {
        .rtm_dst_len = 32, .rtm_table = RT_TABLE_LOCAL, .rtm_type = RTN_UNICAST, .rtm_scope = RT_SCOPE_LINK};
    return add_route(socket, head, interface, address, 0);
}

int netlink_add_default_route(int socket, int interface, uint32_t gateway) {
    struct rtmsg head = {.rtm_table = RT_TABLE_MAIN, .rtm_type = RTN_UNICAST, .rtm_scope = RT_SCOPE_UNIVERSE};
    return add_route(socket, head, interface, 0, gateway);
}
