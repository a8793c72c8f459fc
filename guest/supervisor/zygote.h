/* Zygotes: one interpreter per template, with its libraries imported, that forks a warm kernel into each jail.
 *
 * A zygote runs as the host's root with three capabilities, in namespaces of its own whose root is the template. It is
 * trusted as the supervisor is: it executes nothing but the template, and reads nothing from inside a sandbox. */
#ifndef ZYGOTE_H
#define ZYGOTE_H

#include "plan.h"

/* Where the agent of a jail listens for its kernel, before anything of a guest runs; the kernel removes it. */
#define ZYGOTE_KERNEL_SOCKET "/.glovebox-kernels"

/* Becomes the zygote: the interpreter, with a socket to the supervisor. */
void zygote_become(const plan *p) __attribute__((noreturn));
/* Asks a zygote for a kernel in the sandbox of this first process and group, which may still be in the making: the
 * kernel enters it when a byte is written to *go. Returns a descriptor to read from: a full stop once the kernel is
 * there, else why there is none, then the end, when no process that holds rights of the host is in the sandbox any
 * more. Or -1 and errno. */
int zygote_ask(int channel, int pidfd, const cgroup *group, int *go);

#endif
