#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox.h"
#include "say.h"
#include "spec.h"

/* A line holds a command's whole configuration. */
enum { LINE_BYTES_MAX = 256 * 1024 };

static char buffer[LINE_BYTES_MAX + 1];
static size_t filled;

static void perform(char *line) {
    char *id = strchr(line, '\t');
    if (id == NULL) {
        say("REFUSED\t-\ta request has no id");
        return;
    }
    *id++ = '\0';
    char *fields = strchr(id, '\t');
    if (fields != NULL) {
        *fields++ = '\0';
    }
    sandbox_spec spec = {.id = id};
    if (strcmp(line, "KILL") == 0) {
        sandbox_kill(id);
    } else if (strcmp(line, "START") == 0 || strcmp(line, "LIMIT") == 0) {
        bool start = *line == 'S';
        static char nothing[1];
        const char *wrong = spec_parse(fields == NULL ? nothing : fields, &spec, start);
        if (wrong != NULL) {
            say("%s\t%s\t%s", start ? "FAILED" : "REFUSED", id, wrong);
        } else if (start) {
            sandbox_start(&spec);
        } else {
            sandbox_limit(id, &spec);
        }
    } else {
        say("REFUSED\t%s\tthe request is unknown", id);
    }
}

bool request_read(void) {
    ssize_t count = read(STDIN_FILENO, buffer + filled, LINE_BYTES_MAX - filled);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        return false;
    }
    if (count < 0) {
        return true;
    }
    filled += (size_t)count;
    char *begin = buffer;
    char *end;
    while ((end = memchr(begin, '\n', filled - (size_t)(begin - buffer))) != NULL) {
        *end = '\0';
        perform(begin);
        begin = end + 1;
    }
    filled -= (size_t)(begin - buffer);
    memmove(buffer, begin, filled);
    /* The server writes no such line; whoever does is not the server. */
    return filled < LINE_BYTES_MAX;
}
