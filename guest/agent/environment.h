// A list of NAME=value entries, each name once.
#ifndef GLOVEBOX_ENVIRONMENT_H
#define GLOVEBOX_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "fields.h"

enum { ARGUMENTS_MAX = 4096, ARGUMENTS_BYTES_MAX = 1 << 20 };

struct environment {
    char **entries;
    size_t count;
    size_t capacity;
};

// Adds an entry or replaces the one of the same name. False if there is no memory.
bool environment_set(struct environment *environment, const char *entry, size_t length);
bool environment_set_value(struct environment *environment, const char *name, const char *value);
bool environment_has(const struct environment *environment, const char *name);
// Adds all ENVIRONMENT fields. Returns NULL, or what is wrong with them.
const char *environment_add(struct environment *environment, const struct fields *fields);
bool environment_copy(struct environment *to, const struct environment *from);
void environment_free(struct environment *environment);

#endif
