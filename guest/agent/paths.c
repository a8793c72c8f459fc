#include "paths.h"

#include <stdio.h>
#include <string.h>

static bool append(char path[PATH_MAX], size_t *length, const char *text) {
    while (*text != '\0') {
        size_t part = strcspn(text, "/");
        if (part == 2 && text[0] == '.' && text[1] == '.') {
            while (*length > 0 && path[--*length] != '/') {
            }
        } else if (part > 0 && !(part == 1 && text[0] == '.')) {
            if (*length + part + 2 > PATH_MAX) {
                return false;
            }
            path[(*length)++] = '/';
            memcpy(path + *length, text, part);
            *length += part;
        }
        text += part;
        text += *text == '/';
    }
    return true;
}

bool path_resolve(const char *base, const char *text, char path[PATH_MAX]) {
    char result[PATH_MAX];
    size_t length = 0;
    if ((text[0] != '/' && !append(result, &length, base)) || !append(result, &length, text)) {
        return false;
    }
    if (length == 0) {
        result[length++] = '/';
    }
    memcpy(path, result, length);
    path[length] = '\0';
    return true;
}

enum found path_field(const struct fields *fields, uint16_t tag, char path[PATH_MAX]) {
    char text[PATH_MAX];
    enum found found = fields_text(fields, tag, text, sizeof text);
    if (found == FIELD_FOUND && (text[0] != '/' || !path_resolve("/", text, path))) {
        return FIELD_BROKEN;
    }
    return found;
}

bool path_join(const char *base, const char *name, char path[PATH_MAX]) {
    int length = snprintf(path, PATH_MAX, "%s/%s", strcmp(base, "/") == 0 ? "" : base, name);
    return length > 0 && length < PATH_MAX;
}
