// Terminals.
#ifndef GLOVEBOX_PTY_H
#define GLOVEBOX_PTY_H

#include <stdbool.h>
#include <sys/types.h>

// A new terminal of this size that belongs to the user: the side of the agent, which does not block, and the side of
// the program.
bool pty_open(unsigned columns, unsigned rows, uid_t owner, int *master, int *slave);
void pty_resize(int master, unsigned columns, unsigned rows);
// The process group that the terminal's keys reach, or 0.
pid_t pty_foreground(int master);

#endif
