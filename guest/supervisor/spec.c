#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

int64_t unhex(char *text) {
    size_t length = strlen(text);
    if (length % 2 != 0) {
        return -1;
    }
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit(text[2 * i]);
        int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return -1;
        }
        text[i] = (char)(high << 4 | low);
    }
    text[length / 2] = '\0';
    return (int64_t)(length / 2);
}

/* %09 %0a %25 are a tab, a line's end and the sign itself. */
static bool unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = digit(from[1]);
        int low = high < 0 ? -1 : digit(from[2]);
        if (low < 0 || (high << 4 | low) == 0) {
            return false;
        }
        *to++ = (char)(high << 4 | low);
        from += 2;
    }
    *to = '\0';
    return true;
}

static bool number(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || parsed < 0) {
        return false;
    }
    *value = parsed;
    return true;
}

static bool append(const char **list, size_t size, const char *value) {
    for (size_t i = 0; i < size; i++) {
        if (list[i] == NULL) {
            list[i] = value;
            return true;
        }
    }
    return false;
}

static bool is_name(const char *text) {
    return *text != '\0' && strlen(text) <= 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

static bool take_kind(sandbox_spec *spec, const char *value) {
    static const char *const words[] = {[KIND_COMMAND] = "command", [KIND_JAIL] = "jail", [KIND_ZYGOTE] = "zygote"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(value, words[i]) == 0) {
            spec->kind = (sandbox_kind)i;
            return true;
        }
    }
    return false;
}

static bool take(sandbox_spec *spec, const char *key, char *value) {
    const struct {
        const char *key;
        const char **place;
    } texts[] = {
        {"socket", &spec->socket}, {"greeting", &spec->greeting}, {"input", &spec->input}, {"hostname", &spec->hostname},
        {"config", &spec->config}, {"zygote", &spec->zygote},     {"image", &spec->image},
    };
    const struct {
        const char *key;
        int64_t *place;
    } numbers[] = {
        {"memory", &spec->memory_bytes}, {"cpu", &spec->cpu_millis},   {"pids", &spec->pids},
        {"disk", &spec->disk_bytes},     {"inodes", &spec->inodes},    {"files", &spec->open_files},
        {"network", &spec->network},     {"meminfo", &spec->meminfo},   {"io", &spec->io_bytes},
        {"operations", &spec->io_operations},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].place = value;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(key, numbers[i].key) == 0) {
            return number(value, numbers[i].place);
        }
    }
    if (strcmp(key, "kind") == 0) {
        return take_kind(spec, value);
    }
    if (strcmp(key, "template") == 0) {
        spec->root = ROOT_TEMPLATE;
        spec->template = value;
        return *value == '/';
    }
    if (strcmp(key, "bind") == 0) {
        spec->root = ROOT_BINDS;
        return *value == '/' && append(spec->binds, SPEC_BINDS_MAX, value);
    }
    if (strcmp(key, "argument") == 0) {
        return append(spec->arguments, SPEC_ARGUMENTS_MAX, value);
    }
    if (strcmp(key, "environment") == 0) {
        return append(spec->environment, SPEC_ARGUMENTS_MAX, value);
    }
    return false;
}

static const char *check(const sandbox_spec *spec) {
    if (spec->root == ROOT_TEMPLATE && spec->template == NULL) {
        return "neither template nor bind is given";
    }
    if (spec->kind == KIND_ZYGOTE) {
        return spec->root == ROOT_TEMPLATE ? NULL : "a zygote needs a template";
    }
    if (spec->kind == KIND_COMMAND && spec->arguments[0] == NULL) {
        return "a command has no argument";
    }
    if (spec->zygote != NULL && (spec->kind != KIND_JAIL || spec->root != ROOT_TEMPLATE)) {
        return "only a jail with a template gets a kernel from a zygote";
    }
    if (spec->image != NULL && (*spec->image != '/' || spec->root != ROOT_TEMPLATE)) {
        return "the image of a disk is a path, and only a sandbox with a template has a disk";
    }
    if (spec->network != 0 && (spec->network != 1 || spec->root != ROOT_TEMPLATE)) {
        return "the network is 0 or 1, and only a sandbox with a template has one";
    }
    if (spec->greeting != NULL && spec->socket == NULL) {
        return "a greeting has no socket";
    }
    if ((spec->greeting == NULL) == (spec->input == NULL)) {
        return "one of greeting and input is needed";
    }
    return NULL;
}

const char *spec_parse(char *fields, sandbox_spec *spec, bool complete) {
    if (!is_name(spec->id)) {
        return "the id is not 1 to 64 of a-z, 0-9 and -";
    }
    for (char *field = strtok(fields, "\t"); field != NULL; field = strtok(NULL, "\t")) {
        char *value = strchr(field, '=');
        if (value == NULL) {
            return "a field has no value";
        }
        *value++ = '\0';
        if (!unescape(value) || !take(spec, field, value)) {
            return "a field is unknown, too many or out of its bounds";
        }
    }
    if (spec->hostname == NULL) {
        spec->hostname = "sandbox";
    }
    return complete ? check(spec) : NULL;
}
