/* The root file system of a sandbox, in the mount namespace of its first process. */
#ifndef ROOTS_H
#define ROOTS_H

#include "plan.h"

/* A template below a writable layer in memory, of bounded size. Becomes the root directory. */
void roots_enter_template(const plan *p);
/* The template itself, read-only, with its users as they are. Becomes the root directory. */
void roots_enter_zygote(const plan *p);
/* An empty root with some of the host's paths in it, read-only. Becomes the root directory. */
void roots_enter_binds(const plan *p);
/* Beside a command that brings its own isolation: a scratch directory with the template in it as `rootfs`. Becomes the
 * working directory. */
void roots_prepare_bundle(const plan *p);

#endif
