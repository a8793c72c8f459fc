#!/bin/sh
# Everything that this machine can show: formatter, linters, layers, unit and integration tests of every module with
# the real V8 and the real interpreters, the tests of the Python module, and the product run as a user runs it.
# Prints at its end a table of the tiers that ran and one line 'N passed, N failed, N skipped' over all suites.
#
#   ./glovebox test           all of it
#   ./glovebox test -pl store the Maven part for some modules only, for a quick answer while working
set -u

root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root" || exit 125
reports=$root/build/test-reports
rm -rf "$reports"
mkdir -p "$reports"

# What ran before us on this machine is not ours: what is left afterwards beside it, is.
before=$(pgrep -f 'dev[.]glovebox[.]' | sort)

failed=0
sh scripts/leftovers.sh state >"$reports/before.state"

echo "== build" >&2
./glovebox build || exit 1

echo "== what the tests of the Linux tiers need" >&2
left_out=$reports/left-out.tsv
sh scripts/test-tools.sh "$left_out" || exit 1
# Tests of a tier bear its name; those of a tier that cannot run here are left out, and the table says why.
without=
for tier in $(cut -f 1 "$left_out" | sort -u); do
    # Two suites bear another name, and need these tiers as well.
    without="$without,!**/$tier*IT,!**/Linux*IT,!**/WasmJail*IT"
done

echo "== Maven: linters, unit and integration tests" >&2
mvn=mvn
command -v mvn >/dev/null 2>&1 || mvn="sh ./mvnw"
find . -path '*/target/*-reports' -type d -prune -exec rm -rf {} + 2>/dev/null
if [ $# -gt 0 ]; then
    $mvn -B --fail-at-end verify "$@" || failed=1
elif [ -n "$without" ]; then
    $mvn -B --fail-at-end verify -Dit.test="${without#,}" -Dfailsafe.failIfNoSpecifiedTests=false || failed=1
else
    $mvn -B --fail-at-end verify || failed=1
fi

if [ $# -eq 0 ]; then
    echo "== guest/python-wasm" >&2
    if command -v node >/dev/null 2>&1; then
        bash guest/python-wasm/test/run.sh >"$reports/python-wasm.txt" 2>&1 || failed=1
        tail -n 40 "$reports/python-wasm.txt"
    else
        echo "0 passed, 0 failed, 1 skipped: guest/python-wasm/test needs node, which this machine has not" \
            >"$reports/python-wasm.txt"
        cat "$reports/python-wasm.txt"
    fi
    for part in agent supervisor kernels; do
        echo "== guest/$part" >&2
        bash "guest/$part/test/run.sh" >"$reports/$part.txt" 2>&1 || {
            # What failed is told whole; then these suites have a second try as the others have (TestReport).
            grep -B 30 -A 30 FAILED "$reports/$part.txt"
            first=$(grep FAILED "$reports/$part.txt")
            bash "guest/$part/test/run.sh" >"$reports/$part.txt" 2>&1 || failed=1
            grep -B 30 -A 30 FAILED "$reports/$part.txt" || printf '%s\n' "$first" |
                sed "s|^|passed at the second try guest/$part: |" >>"$reports/$part.txt"
        }
        tail -n 20 "$reports/$part.txt"
    done
    echo "== conformance/e2b: the real E2B clients" >&2
    sh conformance/e2b/run.sh >"$reports/e2b.txt" || failed=1
    tail -n 60 "$reports/e2b.txt"
    echo "== conformance/egress: what sandboxes reach" >&2
    GLOVEBOX_LEFT_OUT=$left_out sh conformance/egress/run.sh >"$reports/egress.txt" 2>&1 || failed=1
    tail -n 40 "$reports/egress.txt"
    echo "== the product as a user runs it" >&2
    sh scripts/test-user.sh >"$reports/user.txt" 2>&1 || failed=1
    cat "$reports/user.txt"
fi

"$JAVA_HOME/bin/java" scripts/TestReport.java "$root" || failed=1

# The suite leaves nothing behind: no cell, no server, no command line; no mount, control group or directory.
sh scripts/leftovers.sh check "$reports/before.state" || failed=1
sleep 1
after=$(pgrep -f 'dev[.]glovebox[.]' | sort)
left=$(printf '%s\n' "$after" | while read -r pid; do
    [ -n "$pid" ] && ! printf '%s\n' "$before" | grep -qx "$pid" && echo "$pid"
done)
if [ -n "$left" ]; then
    echo "left behind by the tests: processes $left"
    failed=1
fi
exit $failed
