#!/bin/sh
# Installs what the tests of the Linux tiers need, where that is possible: compilers and image tools by apt, runsc from
# its Go module, and the templates `base` and `code` for the tests' own home. What cannot be had is no failure: it is
# written to the file that is named, one line `Tier<TAB>reason` each, and the tests of that tier are left out.
#
#   sh scripts/test-tools.sh build/test-reports/left-out.txt
set -u

root=$(dirname "$(dirname "$(readlink -f "$0")")")
left_out=$1
home=$root/build/test-home
# The version that the tests are written against; the newest that the Go module proxy had.
RUNSC=v0.0.0-20260905035102-160fafc42237
: >"$left_out"

leave_out() { # leave_out <reason> <tier>...
    reason=$1
    shift
    for tier in "$@"; do
        printf '%s\t%s\n' "$tier" "$reason" >>"$left_out"
    done
    echo "left out: $*: $reason" >&2
}

if [ "$(id -u)" != 0 ]; then
    leave_out "Linux sandboxes need root, and this is not root" Jail Gvisor
    exit 0
fi

packages=
for pair in gcc:gcc make:make mkfs.erofs:erofs-utils mkfs.ext4:e2fsprogs mmdebstrap:mmdebstrap ip:iproute2 openssl:openssl; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || packages="$packages ${pair#*:}"
done
[ -f /usr/include/seccomp.h ] || packages="$packages libseccomp-dev"
if [ -n "$packages" ]; then
    if command -v apt-get >/dev/null 2>&1; then
        apt-get update -qq >&2
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
    fi || {
        leave_out "these packages could not be installed:$packages" Jail Gvisor
        exit 0
    }
fi

"$root/glovebox" build || exit 1

if [ ! -x "$root/build/tools/runsc" ] && [ -z "${GLOVEBOX_RUNSC:-}" ]; then
    if command -v go >/dev/null 2>&1; then
        mkdir -p "$root/build/tools"
        # Static, because runsc starts itself anew where no library is in sight.
        if ! CGO_ENABLED=0 GOFLAGS=-mod=mod GOBIN="$root/build/tools" \
            go install -ldflags '-s -w' "gvisor.dev/gvisor/runsc@$RUNSC" >&2; then
            leave_out "runsc could not be built from its Go module" Gvisor
        fi
    elif ! command -v runsc >/dev/null 2>&1; then
        leave_out "there is no runsc, and no Go to build it with" Gvisor
    fi
fi

for template in base code; do
    if [ ! -s "$home/templates/names/$template" ]; then
        if ! GLOVEBOX_HOME=$home "$root/glovebox" template build "$template" >&2; then
            leave_out "template $template could not be built" Jail Gvisor
            exit 0
        fi
    fi
done
