#!/bin/sh
# Runs a command inside the root file system ROOT, as root, with the least that package scripts need: /proc, a /dev of
# its own and a temporary /tmp. The caller has unshared the mount and pid namespaces, so everything that is mounted here
# ends with the command, however it ends.
#
#   in-root.sh ROOT COMMAND [ARGUMENT]...
set -eu
root=$1
shift

mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/run"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/tty" c 5 0
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mkdir "$root/dev/shm"
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$root/dev/shm"

# Wheels and sources that a step installs from; nothing of the host is named in the template by it.
if [ -n "${GLOVEBOX_HANDED_IN:-}" ]; then
    mkdir "$root/tmp/handed-in"
    mount --bind "$GLOVEBOX_HANDED_IN" "$root/tmp/handed-in"
    mount -o remount,bind,ro "$root/tmp/handed-in"
fi

# No variable of the host gets in.
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE= chroot "$root" "$@"
