/* What the supervisor tells the server: one line per event, fields parted by tabs. */
#ifndef SAY_H
#define SAY_H

void say(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
/* A sentence for operators on standard error; never a byte of a guest. */
void note(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

#endif
