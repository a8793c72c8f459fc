#include "environment.h"

#include <stdlib.h>
#include <string.h>

static size_t find(const struct environment *environment, const char *entry, size_t name) {
    for (size_t i = 0; i < environment->count; i++) {
        const char *other = environment->entries[i];
        if (strncmp(other, entry, name) == 0 && other[name] == '=') {
            return i;
        }
    }
    return environment->count;
}

static bool put(struct environment *environment, char *copy, size_t name) {
    size_t index = find(environment, copy, name);
    if (index < environment->count) {
        free(environment->entries[index]);
        environment->entries[index] = copy;
        return true;
    }
    if (environment->count == environment->capacity) {
        size_t capacity = environment->capacity == 0 ? 16 : environment->capacity * 2;
        char **entries = realloc(environment->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            free(copy);
            return false;
        }
        environment->entries = entries;
        environment->capacity = capacity;
    }
    environment->entries[environment->count++] = copy;
    return true;
}

bool environment_set(struct environment *environment, const char *entry, size_t length) {
    const char *equals = memchr(entry, '=', length);
    char *copy = malloc(length + 1);
    if (copy == NULL || equals == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, entry, length);
    copy[length] = '\0';
    return put(environment, copy, (size_t)(equals - entry));
}

bool environment_set_value(struct environment *environment, const char *name, const char *value) {
    size_t before = strlen(name);
    size_t behind = strlen(value);
    char *copy = malloc(before + behind + 2);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name, before);
    copy[before] = '=';
    memcpy(copy + before + 1, value, behind + 1);
    return put(environment, copy, before);
}

bool environment_has(const struct environment *environment, const char *name) {
    return find(environment, name, strlen(name)) < environment->count;
}

const char *environment_add(struct environment *environment, const struct fields *fields) {
    size_t offset = 0;
    size_t total = 0;
    size_t count = 0;
    struct field field;
    while (fields_next(fields, &offset, &field)) {
        if (field.tag != TAG_ENVIRONMENT) {
            continue;
        }
        total += field.length + 1;
        if (++count > ARGUMENTS_MAX || total > ARGUMENTS_BYTES_MAX) {
            return "the environment is at most 4096 entries and 1048576 bytes";
        }
        if (memchr(field.data, 0, field.length) != NULL) {
            return "the environment cannot hold a NUL character";
        }
        if (field.length == 0 || field.data[0] == '=' || memchr(field.data, '=', field.length) == NULL) {
            return "an environment entry is NAME=value";
        }
        if (!environment_set(environment, (const char *)field.data, field.length)) {
            return "there is no memory for the environment";
        }
    }
    return NULL;
}

bool environment_copy(struct environment *to, const struct environment *from) {
    for (size_t i = 0; i < from->count; i++) {
        if (!environment_set(to, from->entries[i], strlen(from->entries[i]))) {
            return false;
        }
    }
    return true;
}

void environment_free(struct environment *environment) {
    for (size_t i = 0; i < environment->count; i++) {
        free(environment->entries[i]);
    }
    free(environment->entries);
    *environment = (struct environment){0};
}
