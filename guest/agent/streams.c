#include "streams.h"

#include <fcntl.h>
#include <unistd.h>

bool streams_pipe(const struct user *user, bool agent_reads, int *agent_end, int *guest_end) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) < 0) {
        return false;
    }
    *agent_end = pair[agent_reads ? 0 : 1];
    *guest_end = pair[agent_reads ? 1 : 0];
    if (fchown(*guest_end, user->uid, user->gid) < 0) {
        // An id that is not mapped here: the process will not become this user either.
    }
    return fcntl(*agent_end, F_SETFL, O_NONBLOCK) == 0;
}
