/* The sandboxes that run, from START to ENDED. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

#include "spec.h"

typedef struct {
    const char *agent; /* path of the agent's program */
} sandbox_options;

/* Opens what every sandbox needs. NULL, or what is missing in words; without_network: why there is no network, or NULL. */
const char *sandbox_init(const sandbox_options *options, int epoll, const char **without_network);
void sandbox_start(sandbox_spec *spec);
void sandbox_kill(const char *id);
void sandbox_limit(const char *id, const sandbox_spec *spec);
/* A child ended: reap all that did. */
void sandbox_reap(void);
/* A report or a log can be read; data is what epoll holds for it. */
void sandbox_read(void *data);
/* Goes on with cleaning; how many milliseconds until it should be called again, or -1. */
int sandbox_tidy(void);
void sandbox_kill_all(void);
int sandbox_count(void);

#endif
