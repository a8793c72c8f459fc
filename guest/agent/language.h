// How a text in some language becomes a command.
#ifndef GLOVEBOX_LANGUAGE_H
#define GLOVEBOX_LANGUAGE_H

#include "fields.h"

enum { COMMAND_PREFIX_MAX = 8, CODE_BYTES_MAX = 4 * 1024 * 1024 };

struct command {
    // The interpreter and what it is told; the program's own arguments follow.
    const char *prefix[COMMAND_PREFIX_MAX];
    size_t prefix_count;
    // Holds the code, to be descriptor 3; -1 if it is not needed.
    int code;
    // What `prefix` may point to.
    struct bytes text;
};

enum language { LANGUAGE_PYTHON, LANGUAGE_JAVASCRIPT, LANGUAGE_TYPESCRIPT, LANGUAGE_BASH, LANGUAGE_UNKNOWN };

enum language language_of(const char *word);
const char *language_file_name(enum language language);
// Makes the command that runs `code`. Returns NULL, or what is wrong, with its status.
const char *language_command(enum language language, struct bytes *code, const char *file_name,
                             struct command *command, enum status *status);
// What the program said of the error that ended it, from the file that held its code; false if it said nothing.
bool language_error(int code, struct bytes *record);
void command_free(struct command *command);

#endif
