#!/bin/sh
# The README's commands, run as its reader would, against what they must print. Uses a home of its own and leaves
# nothing behind. Prints 'N passed, N failed' at its end.
set -u

root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root" || exit 125
work=$(mktemp -d)
GLOVEBOX_HOME=$work/home
export GLOVEBOX_HOME
server=
passed=0
failed=0

cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT INT TERM

# check WHAT EXPECTED-STATUS EXPECTED-TEXT COMMAND...: the text is a fixed string in what it prints.
check() {
    what=$1
    status=$2
    text=$3
    shift 3
    output=$("$@" 2>&1 </dev/null)
    actual=$?
    if [ "$actual" -eq "$status" ] && { [ -z "$text" ] || printf '%s' "$output" | grep -qF -- "$text"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: status $actual (wanted $status), wanted '$text' in:"
        printf '%s\n' "$output" | head -n 20
    fi
}

runs() {
    check "$1: Python" 0 '25 primes up to 100' ./glovebox run examples/primes.py
    check "$1: Python arguments" 0 '168 primes up to 1000' ./glovebox run examples/primes.py -- 1000
    check "$1: TypeScript" 0 'Hello, Ada, said calmly' ./glovebox run examples/hello.ts -- Ada
    check "$1: JavaScript by QuickJS" 0 '42' ./glovebox run --tier wasm --lang javascript -c 'console.log(6*7)'
    check "$1: any WASI module" 0 'hello' ./glovebox run --tier wasm examples/echo.wasm -- hello wasm
    check "$1: code on the command line" 0 '499999500000' \
        ./glovebox run -c 'print(sum(range(10**6)))' --timeout 5s --memory 64M
    check "$1: exit status of the guest" 7 '' ./glovebox run -c 'raise SystemExit(7)'
    check "$1: traceback" 1 'ZeroDivisionError' ./glovebox run -c '1/0'
    check "$1: time limit" 124 '' ./glovebox run -c 'while True: pass' --timeout 300ms
    check "$1: memory limit" 137 '' ./glovebox run -c 'x = [0] * 10**9' --memory 64M
    check "$1: numpy names the tiers that have it" 1 'gvisor' ./glovebox run --tier wasm -c 'import numpy'
    check "$1: no network" 1 '' ./glovebox run -c 'import urllib.request as u; u.urlopen("http://127.0.0.1:7070")'
    check "$1: no host files" 1 'FileNotFoundError' ./glovebox run -c 'open("/etc/hostname")'
    check "$1: unknown tier" 2 'tier' ./glovebox run --tier lead -c '1'
    check "$1: tier that is not here" 125 'microvm' ./glovebox run --tier microvm -c '1'
    # This home has no template: what is missing is said, with the way to have it; or that the tier is not here.
    check "$1: Linux sandbox without a template" 125 'glovebox' ./glovebox run --tier gvisor -c '1'
    check "$1: missing file" 2 'nowhere.py' ./glovebox run nowhere.py
    printf 'value\n1\n2\n4\n' >"$work/data.csv"
    check "$1: files in" 0 '"rows": 3' ./glovebox run --file "$work/data.csv:data.csv" \
        --fetch "summary.json:$work/summary.json" examples/report.py
    check "$1: files out" 0 '"rows": 3' cat "$work/summary.json"
    check "$1: a file that the program did not leave" 125 'left no file /home/user/nothing' \
        ./glovebox run --fetch nothing -c '1'
    check "$1: the guest's own status is stronger" 7 'left no file' \
        ./glovebox run --fetch nothing -c 'raise SystemExit(7)'
    check "$1: what opens nothing is said" 0 'the entry 10.0.0.1 opens nothing' \
        ./glovebox run --tier wasm --allow 10.0.0.1 --allow example.com -c '1'
}

runs 'no server'
check 'doctor' 0 'wasm' ./glovebox doctor
check 'audit of runs without a server' 0 'intact' ./glovebox audit verify

./glovebox serve --listen 127.0.0.1:0 >"$work/serve.txt" 2>&1 &
server=$!
tries=0
until [ -S "$GLOVEBOX_HOME/run/api.sock" ] && ./glovebox ps >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
        echo "FAILED the server did not start:"
        cat "$work/serve.txt"
        failed=$((failed + 1))
        break
    fi
    sleep 0.1
done
check 'the first start prints a key' 0 'e2b_' cat "$work/serve.txt"
runs 'with a server'

id=$(./glovebox create --lease 10m --language python)
check 'create prints an id' 0 "$id" ./glovebox ps
check 'exec' 0 '' ./glovebox exec "$id" -- python -c 'open("note.txt", "w").write("kept")'
check 'cp out' 0 'kept' ./glovebox cp "$id:note.txt" -
check 'a shell is refused in words' 125 'tier' ./glovebox exec "$id" -- bash -c 'echo hi'
check 'the limits of its network' 0 'connections at once' ./glovebox net "$id"
check 'an empty id' 2 'the id of the sandbox is empty' ./glovebox net ''
check 'kill' 0 '' ./glovebox kill "$id"
# The Linux tiers, where what they need was made ready (scripts/test-tools.sh).
if [ "$(id -u)" = 0 ] && [ -d "$root/build/test-home/templates" ]; then
    ln -s "$root/build/test-home/templates" "$GLOVEBOX_HOME/templates"
    linux=$(./glovebox create --tier gvisor --template base --lease 10m)
    check 'a Linux sandbox' 0 'user' ./glovebox exec "$linux" -- bash -c 'whoami; git --version; curl --version'
    check 'root inside' 0 'uid=0' ./glovebox exec --user root "$linux" -- id
    check 'a terminal' 0 'a terminal has its size' python3 scripts/test-terminal.py "$linux"
    check 'its end' 0 '' ./glovebox kill "$linux"
    check 'a run from a template' 0 'no node' ./glovebox run --tier gvisor --template base -c 'import shutil; print("node" if shutil.which("node") else "no node")'
    check 'jail is not for everybody' 125 'jail' ./glovebox create --tier jail
    check 'no such template' 125 'template' ./glovebox create --tier gvisor --template nothing
fi
check 'killed is gone' 125 'does not exist' ./glovebox exec "$id" -- python -c '1'
check 'audit verify' 0 'intact' ./glovebox audit verify
check 'audit tail' 0 'sandbox.kill' ./glovebox audit tail

kill "$server"
wait "$server"
status=$?
server=
[ "$status" -eq 0 ] || [ "$status" -eq 143 ] || {
    failed=$((failed + 1))
    echo "FAILED the server did not stop cleanly: status $status"
}

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
