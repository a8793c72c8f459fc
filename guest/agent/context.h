// Contexts: interpreters that keep their state, and the executions in them.
#ifndef GLOVEBOX_CONTEXT_H
#define GLOVEBOX_CONTEXT_H

#include "fields.h"
#include "language.h"

void context_open_request(uint32_t number, const struct fields *fields);
void execute_request(uint32_t number, const struct fields *fields);
void context_close_request(uint32_t number, const struct fields *fields);
// Starts a kernel for whoever comes next, and answers on this channel when it is ready.
void context_prepare(uint32_t number, enum language language);
// Runs the code of a PROCESS in a warm kernel, which ends with it. False if there is none for it: then it runs cold.
bool context_run_warm(uint32_t number, const struct fields *fields);
size_t executions_running(void);
size_t executions_waiting(void);

#endif
