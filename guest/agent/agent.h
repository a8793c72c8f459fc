// The end of the program.
#ifndef GLOVEBOX_AGENT_H
#define GLOVEBOX_AGENT_H

// Kills all that runs in the sandbox and exits.
void agent_end(int status) __attribute__((noreturn));

#endif
