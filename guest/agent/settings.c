#include "settings.h"

#include "context.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/random.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "options.h"
#include "paths.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum { ENTROPY_BYTES_MAX = 64 };

struct settings settings;

void settings_start(void) {
    struct user user;
    user_default(&user);
    memcpy(settings.directory, user.home, sizeof settings.directory);
    settings.directory_is_guess = true;
    settings.limits = (struct limits){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    if (options.memory_limit != 0) {
        settings.limits.memory_bytes = options.memory_limit;
    }
}

bool limits_read(const struct fields *fields, struct limits *limits) {
    return fields_number(fields, TAG_WALL_MILLIS, &limits->wall_millis) != FIELD_BROKEN
        && fields_number(fields, TAG_CPU_MILLIS, &limits->cpu_millis) != FIELD_BROKEN
        && fields_number(fields, TAG_MEMORY_BYTES, &limits->memory_bytes) != FIELD_BROKEN
        && fields_number(fields, TAG_OUTPUT_BYTES, &limits->output_bytes) != FIELD_BROKEN;
}

// As additional input, and credited where we may: a restored snapshot must not go on with the randomness of its twin.
static void add_entropy(const struct field *entropy) {
    int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return;
    }
    struct {
        int entropy_count;
        int buf_size;
        uint8_t buf[ENTROPY_BYTES_MAX];
    } input = {(int)entropy->length * 8, (int)entropy->length, {0}};
    memcpy(input.buf, entropy->data, entropy->length);
    if (ioctl(fd, RNDADDENTROPY, &input) < 0) {
        ssize_t ignored = write(fd, entropy->data, entropy->length);
        (void)ignored;
    } else {
        ioctl(fd, RNDRESEEDCRNG);
    }
    close(fd);
}

static const char *read_settings(const struct fields *fields, struct settings *next) {
    struct field entropy;
    uint64_t clock = 0;
    if (!limits_read(fields, &next->limits)
        || fields_number(fields, TAG_DISK_BYTES, &next->disk_bytes) == FIELD_BROKEN
        || fields_number(fields, TAG_FILE_COUNT, &next->file_count) == FIELD_BROKEN) {
        return "a limit is no number";
    }
    switch (path_field(fields, TAG_DIRECTORY, next->directory)) {
    case FIELD_BROKEN:
        return "DIRECTORY is no absolute path";
    case FIELD_FOUND:
        next->directory_is_guess = false;
        break;
    case FIELD_ABSENT:
        break;
    }
    if (fields_find(fields, TAG_ENTROPY, &entropy)) {
        if (entropy.length < 16 || entropy.length > ENTROPY_BYTES_MAX) {
            return "ENTROPY is 16 to 64 bytes";
        }
        add_entropy(&entropy);
    }
    switch (fields_number(fields, TAG_CLOCK_MICROS, &clock)) {
    case FIELD_BROKEN:
        return "CLOCK_MICROS is no number";
    case FIELD_FOUND:
        // Only where the clock is the sandbox's own: in a jail it would be the host's.
        if (options.set_clock) {
            struct timespec now = {(time_t)(clock / 1000000), (long)(clock % 1000000) * 1000};
            clock_settime(CLOCK_REALTIME, &now);
        }
        break;
    case FIELD_ABSENT:
        break;
    }
    return NULL;
}

void settings_configure(uint32_t number, const struct fields *fields) {
    struct settings next = settings;
    const char *wrong = read_settings(fields, &next);
    bool replaces = fields_has(fields, TAG_ENVIRONMENT);
    if (replaces) {
        next.environment = (struct environment){0};
        if (wrong == NULL) {
            wrong = environment_add(&next.environment, fields);
        }
    }
    if (wrong != NULL) {
        if (replaces) {
            environment_free(&next.environment);
        }
        channel_refuse(number, STATUS_INVALID, wrong);
        return;
    }
    if (replaces) {
        environment_free(&settings.environment);
    }
    settings = next;
    char word[32];
    if (fields_text(fields, TAG_LANGUAGE, word, sizeof word) == FIELD_FOUND) {
        context_prepare(number, language_of(word));
    } else {
        channel_refuse(number, STATUS_OK, NULL);
    }
}

const char *settings_environment(const struct fields *fields, const struct user *user,
                                 struct environment *environment) {
    struct user standard;
    user_default(&standard);
    bool ok = environment_set_value(environment, "PATH", PATH_DEFAULT)
        && environment_set_value(environment, "LANG", "C.UTF-8")
        && environment_set_value(environment, "HOME", standard.home)
        && environment_set_value(environment, "USER", standard.name)
        && environment_copy(environment, &settings.environment);
    // Who runs as somebody else has the home of that one, whatever CONFIGURE said about the usual user.
    if (ok && user->uid != standard.uid) {
        ok = environment_set_value(environment, "HOME", user->home)
            && environment_set_value(environment, "USER", user->name);
    }
    return ok ? environment_add(environment, fields) : "there is no memory for the environment";
}

bool settings_directory(const struct fields *fields, char *path, bool *is_guess) {
    char text[PATH_MAX];
    switch (fields_text(fields, TAG_DIRECTORY, text, sizeof text)) {
    case FIELD_FOUND:
        *is_guess = false;
        return path_resolve(settings.directory, text, path);
    case FIELD_ABSENT:
        *is_guess = settings.directory_is_guess;
        memcpy(path, settings.directory, PATH_MAX);
        return true;
    default:
        return false;
    }
}

const char *settings_user(const struct fields *fields, struct user *user, enum status *status) {
    char name[USER_NAME_MAX];
    *status = STATUS_INVALID;
    switch (fields_text(fields, TAG_USER, name, sizeof name)) {
    case FIELD_ABSENT:
        user_default(user);
        return NULL;
    case FIELD_BROKEN:
        return "USER is no name";
    case FIELD_FOUND:
        break;
    }
    if (!user_find(name, user)) {
        *status = STATUS_NOT_FOUND;
        return "the sandbox has no user of that name";
    }
    if (user->uid == 0 && !options.root_allowed && strcmp(options.user, name) != 0) {
        *status = STATUS_PERMISSION;
        return "this sandbox does nothing as root";
    }
    return NULL;
}
