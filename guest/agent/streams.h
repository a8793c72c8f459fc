// Pipes between the agent and what it starts.
#ifndef GLOVEBOX_STREAMS_H
#define GLOVEBOX_STREAMS_H

#include "users.h"

// A pipe of which the agent's end does not block, and the other belongs to the user, who may open it by its name.
bool streams_pipe(const struct user *user, bool agent_reads, int *agent_end, int *guest_end);

#endif
