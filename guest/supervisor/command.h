/* The child's way to a command in namespaces of its own: runsc with a guest in it, or a cell. Its first process is a
 * small init that reaps, and ends with the command. */
#ifndef COMMAND_H
#define COMMAND_H

#include "plan.h"

void command_become(const plan *p) __attribute__((noreturn));

#endif
