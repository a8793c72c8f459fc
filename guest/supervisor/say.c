#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "sys.h"

enum { LINE_MAX_BYTES = 2048 };

static void line(int fd, const char *pattern, va_list arguments) {
    char text[LINE_MAX_BYTES];
    int length = vsnprintf(text, sizeof text - 1, pattern, arguments);
    if (length < 0) {
        return;
    }
    size_t end = (size_t)length < sizeof text - 1 ? (size_t)length : sizeof text - 2;
    text[end] = '\n';
    /* If the server is gone, the end of standard input says so too. */
    (void)write_all(fd, text, end + 1);
}

void say(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    line(STDOUT_FILENO, pattern, arguments);
    va_end(arguments);
}

void note(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    line(STDERR_FILENO, pattern, arguments);
    va_end(arguments);
}
