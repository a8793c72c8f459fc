#!/bin/sh
# Drives the real E2B clients, unchanged and pinned, against a server of its own: every client on every tier that it can
# use. Prints what failed, a table of client x tier x scenarios passed, and at its end 'N passed, N failed, N skipped'.
# Everything that it installs and makes lies in build/e2b; the clients stay there for the next run.
#
#   sh conformance/e2b/run.sh                  all of it
#   sh conformance/e2b/run.sh bench [TIER...]  time to interactive instead, per tier (jail and gvisor)
#   GLOVEBOX_E2B_ONLY=2.51,jail sh .../run.sh  only runs whose client and tier contain these texts
#   GLOVEBOX_E2B_GROUPS=files sh .../run.sh    only these groups of scenarios
#   GLOVEBOX_E2B_SCENARIO='chart' sh .../run.sh only scenarios whose name has this
set -u

root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
cd "$root" || exit 125
work=$root/build/e2b
here=$root/conformance/e2b
server=

skip() {
    echo "skipped conformance/e2b: $1"
    echo
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

fail() {
    echo "FAILED  $1"
    echo
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

cleanup() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
        server=
    fi
    rm -rf "$work/home"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

mkdir -p "$work"
command -v node >/dev/null 2>&1 || skip "it needs node 20 or newer, which this machine has not"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "it needs node 20 or newer, not $(node --version)"
command -v npm >/dev/null 2>&1 || skip "it needs npm, which this machine has not"

# The JavaScript clients.
js=$work/node
mkdir -p "$js"
if [ ! -d "$js/node_modules" ] || ! cmp -s "$here/package-lock.json" "$js/package-lock.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$js/"
    if ! (cd "$js" && npm ci --no-audit --no-fund --ignore-scripts) >"$work/npm.log" 2>&1; then
        rm -rf "$js/node_modules"
        skip "npm could not install the clients: $(tail -n 1 "$work/npm.log")"
    fi
fi
# Beside the clients, because node looks for packages from where a file lies.
rm -rf "$js/lib" "$js/js" "$js/py" "$js/examples" "$js/bench"
cp -r "$here/lib" "$here/js" "$here/py" "$here/drive.mjs" "$here/baseline.json" "$js/"
cp -r examples/e2b "$js/examples"
cp -r bench/e2b "$js/bench"

# The Python clients.
GLOVEBOX_E2B_PYTHON=
GLOVEBOX_E2B_PYTHON_WHY=
python=$work/python
if [ "${1-}" = bench ]; then
    :
elif ! command -v python3 >/dev/null 2>&1; then
    GLOVEBOX_E2B_PYTHON_WHY="there is no python3"
elif cmp -s "$here/requirements.txt" "$python/requirements.txt" && [ -x "$python/bin/python" ]; then
    GLOVEBOX_E2B_PYTHON=$python/bin/python
else
    rm -rf "$python"
    if ! python3 -m venv "$python" >"$work/pip.log" 2>&1; then
        GLOVEBOX_E2B_PYTHON_WHY="python3 -m venv failed: $(tail -n 1 "$work/pip.log")"
    elif ! "$python/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
        -r "$here/requirements.txt" >>"$work/pip.log" 2>&1; then
        GLOVEBOX_E2B_PYTHON_WHY="pip could not install the clients: $(tail -n 1 "$work/pip.log")"
    else
        cp "$here/requirements.txt" "$python/requirements.txt"
        GLOVEBOX_E2B_PYTHON=$python/bin/python
    fi
fi
export GLOVEBOX_E2B_PYTHON GLOVEBOX_E2B_PYTHON_WHY

# The product, and what its Linux tiers need.
./glovebox build || fail "the product could not be built"
sh scripts/test-tools.sh "$work/left-out.tsv" >"$work/tools.log" 2>&1 || fail "the tools of the Linux tiers: $(tail -n 1 "$work/tools.log")"
GLOVEBOX_E2B_LEFT_OUT=$work/left-out.tsv
[ -n "${GLOVEBOX_RUNSC:-}" ] || { [ -x build/tools/runsc ] && GLOVEBOX_RUNSC=$root/build/tools/runsc; }
export GLOVEBOX_E2B_LEFT_OUT
[ -n "${GLOVEBOX_RUNSC:-}" ] && export GLOVEBOX_RUNSC

# A server with an empty home; its first start prints its key.
rm -rf "$work/home"
mkdir -p "$work/home"
[ -d build/test-home/templates ] && ln -s "$(readlink -f build/test-home/templates)" "$work/home/templates"
GLOVEBOX_HOME=$work/home
export GLOVEBOX_HOME
# shellcheck disable=SC2086
./glovebox serve --listen 127.0.0.1:0 --tls 127.0.0.1:0 --allow-jail ${GLOVEBOX_E2B_SERVE:-} >"$work/serve.log" 2>&1 &
server=$!
tries=0
address=
until [ -n "$address" ] && ./glovebox ps >/dev/null 2>&1; do
    address=$(grep -oE 'http://[0-9a-z.:]+:[0-9]+' "$work/serve.log" | head -n 1)
    tries=$((tries + 1))
    kill -0 "$server" 2>/dev/null && [ "$tries" -le 200 ] || fail "the server did not start: $(tail -n 5 "$work/serve.log")"
    sleep 0.1
done
E2B_API_URL=$address
E2B_SANDBOX_URL=$address
E2B_API_KEY=$(grep -oE 'e2b_[0-9a-f]{40}' "$work/serve.log" | head -n 1)
GLOVEBOX_OTHER_KEY=$(./glovebox key create --tenant stranger --label conformance 2>/dev/null | grep -oE 'e2b_[0-9a-f]{40}' | head -n 1)
export E2B_API_URL E2B_SANDBOX_URL E2B_API_KEY GLOVEBOX_OTHER_KEY
tls=$(grep -oE 'TLS on port [0-9]+' "$work/serve.log" | grep -oE '[0-9]+$')
[ -n "$tls" ] || fail "the server speaks no TLS: $(tail -n 5 "$work/serve.log")"
GLOVEBOX_E2B_DOMAIN=glovebox.localhost:$tls
GLOVEBOX_E2B_CA=$GLOVEBOX_HOME/tls/ca.pem
export GLOVEBOX_E2B_DOMAIN GLOVEBOX_E2B_CA
unset E2B_DOMAIN E2B_DEBUG E2B_ACCESS_TOKEN E2B_USER_AGENT_SOURCE
[ -n "$E2B_API_KEY" ] || fail "the server printed no key"
[ -n "$GLOVEBOX_OTHER_KEY" ] || fail "no key could be made for a second tenant"

if [ "${1-}" = bench ]; then
    shift
    [ $# -gt 0 ] || set -- jail gvisor
    node "$js/bench/tti.mjs" "$@"
else
    node "$js/drive.mjs"
fi
status=$?
kill -0 "$server" 2>/dev/null || {
    echo "FAILED  the server ended by itself: $(tail -n 20 "$work/serve.log")"
    status=1
}
exit $status
