// What CONFIGURE sets: the environment, the working directory and the limits of what runs from then on.
#ifndef GLOVEBOX_SETTINGS_H
#define GLOVEBOX_SETTINGS_H

#include <limits.h>

#include "environment.h"
#include "users.h"

// UINT64_MAX is no limit.
struct limits {
    uint64_t wall_millis;
    uint64_t cpu_millis;
    uint64_t memory_bytes;
    uint64_t output_bytes;
};

struct settings {
    struct environment environment;
    char directory[PATH_MAX];
    // Nobody named the directory: if it is missing, `/` will do.
    bool directory_is_guess;
    struct limits limits;
    uint64_t disk_bytes;
    uint64_t file_count;
};

extern struct settings settings;

void settings_start(void);
void settings_configure(uint32_t number, const struct fields *fields);
// The limits that `fields` name, on top of those in `limits`; false if one is no number.
bool limits_read(const struct fields *fields, struct limits *limits);
// The environment of a process of this user: defaults, then that of CONFIGURE, then that of the request.
const char *settings_environment(const struct fields *fields, const struct user *user,
                                 struct environment *environment);
// The directory of a request, resolved against that of CONFIGURE. False if it is no path.
bool settings_directory(const struct fields *fields, char *path, bool *is_guess);
// The user that a request names, or the default. Returns NULL, or what is wrong, with its status.
const char *settings_user(const struct fields *fields, struct user *user, enum status *status);

#endif
