#!/bin/sh
# Makes the AOT caches: lets each kind of process do once what it will do ever after. Called by Assemble with DIST, JAVA
# and WORK set. A cache that cannot be made costs start-up time and nothing else.
set -eu

cell() {
    "$JAVA" "@$DIST/cell.flags" -XX:AOTCacheOutput="$WORK/cell.aot" dev.glovebox.cell.Cell --train
}

# Starts a server, waits until it answers, and leaves its process id in $server.
start_server() {
    "$JAVA" "@$DIST/server.flags" "$@" dev.glovebox.cli.Main serve --listen 127.0.0.1:0 >"$WORK/serve.txt" 2>&1 &
    server=$!
    tries=0
    until [ -S "$GLOVEBOX_HOME/run/api.sock" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || return 1
        sleep 0.1
    done
}

stop_server() {
    kill "$server"
    wait "$server" || [ $? -eq 143 ]
}

server() {
    start_server -XX:AOTCacheOutput="$WORK/server.aot"
    for _ in 1 2 3; do
        for code in 'print(1)' '1/0'; do
            "$JAVA" "@$DIST/cli.flags" dev.glovebox.cli.Main run -c "$code" >/dev/null 2>&1 || true
        done
    done
    stop_server
}

cli() {
    start_server
    "$JAVA" "@$DIST/cli.flags" -XX:AOTCacheOutput="$WORK/cli.aot" dev.glovebox.cli.Training \
        "$GLOVEBOX_HOME" "$WORK/embedded" >/dev/null
    stop_server
}

GLOVEBOX_HOME=$WORK/home-$1
export GLOVEBOX_HOME
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null' EXIT
"$1"
server=
