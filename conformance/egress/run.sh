#!/bin/sh
# What sandboxes reach, from end to end: a server and the command line, the server in a network namespace whose only way out
# leads to a small internet in another one (internet.py); sandboxes of each tier in front of it. Nothing leaves this machine.
# Prints what failed and at its end 'N passed, N failed, N skipped'.
#
#   sh conformance/egress/run.sh
set -u

root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
cd "$root" || exit 125

skip() {
    echo "skipped conformance/egress: $1"
    echo
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

[ "$(id -u)" = 0 ] || skip "it makes network namespaces, which needs root"
for tool in ip openssl python3 unshare nsenter; do
    command -v "$tool" >/dev/null 2>&1 || skip "there is no $tool"
done
[ -d "$root/build/test-home/templates" ] || skip "there are no templates (scripts/test-tools.sh builds them)"

exec env PYTHONDONTWRITEBYTECODE=1 python3 "$root/conformance/egress/scenarios.py" "$root"
