// Paths as the host gives them: absolute, and normalised here by their text.
#ifndef GLOVEBOX_PATHS_H
#define GLOVEBOX_PATHS_H

#include <limits.h>

#include "fields.h"

// Makes `path` from `base` and `text`: without empty parts, `.` and `..`. False if it is too long.
bool path_resolve(const char *base, const char *text, char path[PATH_MAX]);
// An absolute path from a field.
enum found path_field(const struct fields *fields, uint16_t tag, char path[PATH_MAX]);
// base/name; false if it is too long.
bool path_join(const char *base, const char *name, char path[PATH_MAX]);

#endif
