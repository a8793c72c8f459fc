#!/bin/sh
# What tests of Linux sandboxes must not leave on a machine: processes, mounts, control groups, loop devices, network
# namespaces, run directories.
#
#   scripts/leftovers.sh state           prints what there is now
#   scripts/leftovers.sh check FILE      prints what there is now and was not when FILE was printed; fails if anything
#
# Others may run sandboxes on the same machine: what was there before is theirs, and so is what belongs to a server that
# lives on (its control groups, and the sandboxes below its supervisor).
set -u

processes() {
    ps -eo pid=,ppid=,stat=,comm= | awk '
        $3 !~ /^[ZX]/ { parent[$1] = $2; name[$1] = $4 }
        END {
            for (pid in name) {
                if (name[pid] !~ /^(glovebox-agent|glovebox-superv|runsc|stem$)/) continue
                # Below a supervisor that somebody still holds it is not left over, but in use.
                held = 0
                for (at = pid; at in parent && at > 1; at = parent[at])
                    if (name[at] ~ /^glovebox-superv/ && parent[at] > 1) held = 1
                print (held ? "in-use" : "process"), pid, name[pid]
            }
        }'
}

mounts() {
    awk '/glovebox|run\/mnt|\/gb-it/ { print "mount", $5 }' /proc/self/mountinfo
}

groups() {
    for parent in /sys/fs/cgroup/glovebox /sys/fs/cgroup/*/glovebox; do
        [ -d "$parent" ] || continue
        for instance in "$parent"/*/; do
            [ -d "$instance" ] || continue
            instance=${instance%/}
            if kill -0 "${instance##*-}" 2>/dev/null; then
                echo "in-use $instance"
            else
                find "$instance" -type d | sed 's/^/group /'
            fi
        done
    done
}

loops() {
    for backing in /sys/block/loop*/loop/backing_file; do
        [ -r "$backing" ] && echo "loop $backing $(cat "$backing")"
    done
}

networks() {
    for name in /run/netns/* /var/run/glovebox/netns/*; do
        [ -e "$name" ] && echo "network $name"
    done
    ls /sys/class/net 2>/dev/null | sed -n 's/^\(gb[-_v].*\)/network \1/p'
}

options() {
    # While a server runs it is in use.
    [ -e /run/glovebox-favordynmods ] && ! ls -d /sys/fs/cgroup/glovebox /sys/fs/cgroup/*/glovebox >/dev/null 2>&1 &&
        echo "option favordynmods of the control groups"
}

directories() {
    for directory in "${TMPDIR:-/tmp}"/gb-it*; do
        [ -e "$directory" ] && echo "directory $directory"
    done
}

state() {
    { processes; mounts; groups; loops; networks; options; directories; } | sort -u
}

case ${1-} in
state) state ;;
check)
    [ -r "${2-}" ] || {
        echo "leftovers.sh: give the file with the state before" >&2
        exit 64
    }
    # What is about to go may need a moment.
    tries=0
    while :; do
        left=$(state | grep -v '^in-use ' | grep -vxFf "$2")
        [ -z "$left" ] || [ $tries -ge 30 ] && break
        tries=$((tries + 1))
        sleep 0.1
    done
    [ -z "$left" ] && exit 0
    echo "left behind:"
    echo "$left"
    exit 1
    ;;
*)
    echo "usage: leftovers.sh state | check FILE" >&2
    exit 64
    ;;
esac
