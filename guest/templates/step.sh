#!/bin/sh
# Runs one step of a template's build: a command that may write below the directory BUILD and nowhere else. A package
# script or an archive with clever paths can then spoil the template that it is part of, but not the host's files. The
# caller has unshared the mount and pid namespaces and is root.
#
#   step.sh BUILD COMMAND [ARGUMENT]...
set -eu
build=$1
shift

mount --make-rprivate /
mount --bind "$build" "$build"
cd "$build"
# Every mount but our own, and those that hold no files of the host.
awk '$5 !~ /^\/(proc|sys|dev)(\/|$)/ { print $5 }' /proc/self/mountinfo | sort -u | while read -r place; do
    place=$(printf '%b' "$place")
    case $place in
    "$build") ;;
    *) mount -o remount,bind,ro "$place" 2>/dev/null || true ;;
    esac
done
mkdir -p "$build/tmp"
export TMPDIR="$build/tmp"
exec "$@"
