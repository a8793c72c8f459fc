// Warm kernels that a zygote outside of the agent made and handed in over a socket.
#ifndef GLOVEBOX_WARM_H
#define GLOVEBOX_WARM_H

#include <stdbool.h>
#include <sys/types.h>

#include "language.h"

struct warm_kernel {
    pid_t pid;
    int socket;
    int out;
    int err;
};

bool warm_start(const char *path);
bool warm_has(enum language language);
// One of this language, whose descriptors are the caller's then.
bool warm_take(enum language language, struct warm_kernel *kernel);

#endif
