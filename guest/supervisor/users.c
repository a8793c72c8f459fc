#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys.h"

/* Above what distributions hand out to people (subuid begins at 100,000 and rarely passes 2^24). */
static const uint32_t FIRST = 0x40000000;
static const uint32_t RANGE = 65536;

typedef struct {
    bool taken;
    int namespace; /* 0: none yet (a descriptor is never 0 here) */
} slot_state;

static slot_state slots[USERS_SLOTS_MAX];

int users_take(void) {
    for (int i = 0; i < USERS_SLOTS_MAX; i++) {
        if (!slots[i].taken) {
            slots[i].taken = true;
            return i;
        }
    }
    errno = EUSERS;
    return -1;
}

void users_give_back(int slot) {
    if (slot >= 0) {
        slots[slot].taken = false;
    }
}

uint32_t users_root(int slot) {
    return FIRST + (uint32_t)slot * RANGE;
}

/* What the kernel counts for a user namespace: with 0 nothing inside can make one of these. */
static const char *const FORBIDDEN[] = {
    "cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts",
};

static void forbid_namespaces(void) {
    for (size_t i = 0; i < sizeof FORBIDDEN / sizeof *FORBIDDEN; i++) {
        char path[64];
        if (!format(path, sizeof path, "/proc/sys/user/max_%s_namespaces", FORBIDDEN[i]) ||
            write_text(path, "0") != 0) {
            _exit(2);
        }
    }
}

/* The child that makes the namespace waits twice: until its users are mapped, and until the parent holds it. */
static void child(int sync) {
    char byte;
    if (unshare(CLONE_NEWUSER) != 0 || write(sync, "1", 1) != 1 || read(sync, &byte, 1) != 1) {
        _exit(1);
    }
    forbid_namespaces();
    if (write(sync, "2", 1) != 1 || read(sync, &byte, 1) != 1) {
        _exit(1);
    }
    _exit(0);
}

static int map_users(pid_t pid, int slot) {
    char path[64];
    char map[64];
    format(map, sizeof map, "0 %u %u", users_root(slot), RANGE);
    format(path, sizeof path, "/proc/%d/uid_map", (int)pid);
    if (write_text(path, map) != 0) {
        return -1;
    }
    format(path, sizeof path, "/proc/%d/gid_map", (int)pid);
    return write_text(path, map);
}

static int make_namespace(int slot) {
    int sync[2];
    if (socketpair_cloexec(sync) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid < 0) {
        return -1;
    }
    if (pid == 0) {
        close(sync[0]);
        child(sync[1]);
    }
    close(sync[1]);
    char byte;
    char path[64];
    int result = -1;
    if (read(sync[0], &byte, 1) == 1 && map_users(pid, slot) == 0 && write(sync[0], "1", 1) == 1 &&
        read(sync[0], &byte, 1) == 1) {
        format(path, sizeof path, "/proc/%d/ns/user", (int)pid);
        result = open(path, O_RDONLY | O_CLOEXEC);
    }
    int failure = result >= 0 ? 0 : (errno != 0 ? errno : EPERM);
    close(sync[0]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    errno = failure;
    return result;
}

int users_namespace(int slot) {
    if (slots[slot].namespace == 0) {
        int made = make_namespace(slot);
        if (made < 0) {
            return -1;
        }
        slots[slot].namespace = made;
    }
    return slots[slot].namespace;
}
