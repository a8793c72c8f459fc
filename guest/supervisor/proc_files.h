/* Files of /proc and /sys that tell a program how much machine there is: what the sandbox may use, not what the host
 * has. */
#ifndef PROC_FILES_H
#define PROC_FILES_H

#include "plan.h"

void proc_files_show(const plan *p, const char *root);
/* How many processors a sandbox with this share sees. */
int proc_files_processors(const sandbox_spec *spec);
/* Keeps the calling process, and what it starts, on as many processors as it may see; `turn` spreads sandboxes. */
void proc_files_pin(const sandbox_spec *spec, int turn);

/* For a command whose own kernel tells the guest how much memory there is: it asks the host's. */
void proc_files_show_memory(const plan *p);

#endif
