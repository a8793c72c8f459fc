#include "steer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "datagrams.h"
#include "network.h"

enum { BACKLOG = 1, LOOPBACK_NET = 127, IPV4 = 2, UDP = 17, DNS_PORT = 53, NOTE_NANOS = 2 * 1000 * 1000 };

static int bpf(int command, union bpf_attr *attributes, size_t size) {
    return (int)syscall(SYS_bpf, command, attributes, size);
}

#define MOVE(to, from) {.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from)}
#define SET(to, value) {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value)}
#define ADD(to, value) {.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (value)}
#define AND(to, value) {.code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = (to), .imm = (value)}
#define LOAD_WORD(to, from, offset) \
    {.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = (to), .src_reg = (from), .off = (short)(offset)}
#define STORE_WORD(to, offset, value) \
    {.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = (to), .off = (offset), .imm = (value)}
#define JUMP(op, reg, value, over) \
    {.code = BPF_JMP | (op) | BPF_K, .dst_reg = (reg), .off = (over), .imm = (value)}
#define CALL(function) {.code = BPF_JMP | BPF_CALL, .imm = (function)}
#define EXIT() {.code = BPF_JMP | BPF_EXIT}

#define MAP(to, map) \
    {.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (to), .src_reg = BPF_PSEUDO_MAP_FD, .imm = (map)}, {.code = 0}
#define LOAD_LONG(to, from) {.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from)}
#define STORE_LONG(to, from) {.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from)}
#define STORE_REGISTER(to, offset, from) \
    {.code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = (to), .src_reg = (from), .off = (offset)}
#define SUBTRACT(to, from) {.code = BPF_ALU64 | BPF_SUB | BPF_X, .dst_reg = (to), .src_reg = (from)}

/* Where a datagram is written down before it goes into the ring: below the key of a map. */
enum { KEY = -4, NOTE = -24 };

/* sockets: a map with the listener; times: one with the moment of the last note. */
static int load(int sockets, int times, uint32_t number) {
    static const char licence[] = "GPL";
    const struct bpf_insn program[] = {
        /* 0 */ MOVE(BPF_REG_6, BPF_REG_1),
        /* 1 */ LOAD_WORD(BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, family)),
        /* 2 */ JUMP(BPF_JNE, BPF_REG_2, IPV4, 50),
        /* The first byte of an address in network order is the lowest one here. */
        /* 3 */ LOAD_WORD(BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, local_ip4)),
        /* 4 */ AND(BPF_REG_2, 0xff),
        /* 5 */ JUMP(BPF_JEQ, BPF_REG_2, LOOPBACK_NET, 47),
        /* 6 */ STORE_WORD(BPF_REG_10, KEY, 0),
        /* 7 */ LOAD_WORD(BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, protocol)),
        /* 8 */ JUMP(BPF_JEQ, BPF_REG_2, UDP, 17),

        /* 9 */ MAP(BPF_REG_1, sockets),
        /* 11 */ MOVE(BPF_REG_2, BPF_REG_10),
        /* 12 */ ADD(BPF_REG_2, KEY),
        /* 13 */ CALL(BPF_FUNC_map_lookup_elem),
        /* 14 */ JUMP(BPF_JEQ, BPF_REG_0, 0, 9),
        /* 15 */ MOVE(BPF_REG_7, BPF_REG_0),
        /* 16 */ MOVE(BPF_REG_1, BPF_REG_6),
        /* 17 */ MOVE(BPF_REG_2, BPF_REG_7),
        /* 18 */ SET(BPF_REG_3, 0),
        /* 19 */ CALL(BPF_FUNC_sk_assign),
        /* 20 */ MOVE(BPF_REG_1, BPF_REG_7),
        /* 21 */ CALL(BPF_FUNC_sk_release),
        /* 22 */ SET(BPF_REG_0, SK_PASS),
        /* 23 */ EXIT(),
        /* 24: the listener is gone, so nothing may be reached. */ SET(BPF_REG_0, SK_DROP),
        /* 25 */ EXIT(),

        /* 26: a datagram. */
        LOAD_WORD(BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, local_port)),
        /* 27 */ JUMP(BPF_JEQ, BPF_REG_2, DNS_PORT, 25),
        /* 28 */ STORE_REGISTER(BPF_REG_10, NOTE + 8, BPF_REG_2),
        /* 29 */ MAP(BPF_REG_1, times),
        /* 31 */ MOVE(BPF_REG_2, BPF_REG_10),
        /* 32 */ ADD(BPF_REG_2, KEY),
        /* 33 */ CALL(BPF_FUNC_map_lookup_elem),
        /* 34 */ JUMP(BPF_JEQ, BPF_REG_0, 0, 18),
        /* 35 */ MOVE(BPF_REG_7, BPF_REG_0),
        /* 36 */ CALL(BPF_FUNC_ktime_get_ns),
        /* 37 */ LOAD_LONG(BPF_REG_1, BPF_REG_7),
        /* 38 */ MOVE(BPF_REG_2, BPF_REG_0),
        /* 39 */ SUBTRACT(BPF_REG_2, BPF_REG_1),
        /* 40 */ JUMP(BPF_JLT, BPF_REG_2, NOTE_NANOS, 12),
        /* 41 */ STORE_LONG(BPF_REG_7, BPF_REG_0),
        /* 42 */ STORE_WORD(BPF_REG_10, NOTE, (int)number),
        /* 43 */ LOAD_WORD(BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, local_ip4)),
        /* 44 */ STORE_REGISTER(BPF_REG_10, NOTE + 4, BPF_REG_2),
        /* 45 */ STORE_WORD(BPF_REG_10, NOTE + 12, 0),
        /* 46 */ MAP(BPF_REG_1, datagrams_ring()),
        /* 48 */ MOVE(BPF_REG_2, BPF_REG_10),
        /* 49 */ ADD(BPF_REG_2, NOTE),
        /* 50 */ SET(BPF_REG_3, sizeof(datagram)),
        /* 51 */ SET(BPF_REG_4, BPF_RB_NO_WAKEUP),
        /* 52 */ CALL(BPF_FUNC_ringbuf_output),
        /* 53 */ SET(BPF_REG_0, SK_PASS),
        /* 54 */ EXIT(),
    };
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = BPF_PROG_TYPE_SK_LOOKUP;
    attributes.expected_attach_type = BPF_SK_LOOKUP;
    attributes.insns = (uintptr_t)program;
    attributes.insn_cnt = sizeof program / sizeof *program;
    attributes.license = (uintptr_t)licence;
    return bpf(BPF_PROG_LOAD, &attributes, sizeof attributes);
}

static int make_map(enum bpf_map_type type) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = type;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = sizeof(uint64_t);
    attributes.max_entries = 1;
    return bpf(BPF_MAP_CREATE, &attributes, sizeof attributes);
}

static int put_socket(int map, int socket) {
    union bpf_attr attributes;
    uint32_t key = 0;
    uint64_t value = (uint64_t)socket;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uintptr_t)&key;
    attributes.value = (uintptr_t)&value;
    return bpf(BPF_MAP_UPDATE_ELEM, &attributes, sizeof attributes);
}

static int attach(int program, int namespace) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_fd = (uint32_t)namespace;
    attributes.link_create.attach_type = BPF_SK_LOOKUP;
    return bpf(BPF_LINK_CREATE, &attributes, sizeof attributes);
}

/* The first of the group. It is never chosen, for the group's filter always says "the second". */
static int listen_first(void) {
    struct sock_filter second[] = {BPF_STMT(BPF_RET | BPF_K, 1)};
    struct sock_fprog filter = {.len = 1, .filter = second};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(NETWORK_PORT),
                                  .sin_addr.s_addr = htonl(NETWORK_LISTENER)};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &filter, sizeof filter) != 0) {
        int failure = errno;
        if (fd >= 0) {
            close(fd);
        }
        errno = failure;
        return -1;
    }
    return fd;
}

const char *steer(int namespace, uint32_t number, steering *made) {
    const char *failure = NULL;
    int program = -1;
    if ((made->listener = listen_first()) < 0) {
        return "a listener cannot be opened";
    }
    int sockets = make_map(BPF_MAP_TYPE_SOCKMAP);
    int times = make_map(BPF_MAP_TYPE_ARRAY);
    if (sockets < 0 || times < 0 || put_socket(sockets, made->listener) != 0) {
        failure = "a BPF map cannot be made";
    } else if ((program = load(sockets, times, number)) < 0) {
        failure = "a BPF program of type sk_lookup cannot be loaded";
    } else if ((made->link = attach(program, namespace)) < 0) {
        failure = "a BPF program cannot be attached to a network namespace";
    }
    int reason = errno;
    int all[] = {sockets, times, program};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
    if (failure != NULL) {
        steer_end(made);
    }
    errno = reason;
    return failure;
}

void steer_end(steering *made) {
    if (made->link >= 0) {
        close(made->link);
        made->link = -1;
    }
    if (made->listener >= 0) {
        close(made->listener);
        made->listener = -1;
    }
}
