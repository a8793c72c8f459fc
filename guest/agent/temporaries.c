#include "temporaries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

// Watches read events within moments; more than this are not under way.
enum { PLACED_MAX = 256 };

static const char PREFIX[] = ".glovebox-";

static struct placed {
    char name[TEMPORARY_NAME_MAX];
    bool replaced;
} placed[PLACED_MAX];

static size_t next;

bool temporary_name(char name[TEMPORARY_NAME_MAX]) {
    unsigned long long random;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        errno = EIO;
        return false;
    }
    snprintf(name, TEMPORARY_NAME_MAX, "%s%016llx", PREFIX, random);
    return true;
}

bool is_temporary_name(const char *name) {
    size_t prefix = sizeof PREFIX - 1;
    return strncmp(name, PREFIX, prefix) == 0 && strlen(name) == prefix + 16
        && strspn(name + prefix, "0123456789abcdef") == 16;
}

void temporary_placed(const char *name, bool replaced) {
    struct placed *entry = &placed[next++ % PLACED_MAX];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->replaced = replaced;
}

bool temporary_replaced(const char *name) {
    for (size_t i = 0; i < PLACED_MAX; i++) {
        if (strcmp(placed[i].name, name) == 0) {
            return placed[i].replaced;
        }
    }
    return true;
}
