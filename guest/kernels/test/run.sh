#!/bin/sh
# Checks the kernels as the agent uses them: over a socket on descriptor 3. Needs python3; node for the JavaScript half.
# What needs numpy, pandas and matplotlib runs if the interpreter has them; name another one by KERNEL_PYTHON, another
# Node.js by KERNEL_NODE, or a mounted template by KERNEL_ROOT (as root, by chroot).
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
exec python3 kernels.py "$@"
