#!/bin/sh
# Builds the agent and runs all of its tests. AGENT=build/glovebox-agent-asan runs them under sanitizers. The last line
# says how many passed, failed and were skipped. With arguments: only the tests whose names contain one of them.
set -eu
cd "$(dirname "$0")/.."
: "${AGENT:=build/glovebox-agent}"
export AGENT PYTHONDONTWRITEBYTECODE=1
make -s all "$AGENT" build/fuzz
if [ $# -eq 0 ]; then
    build/fuzz 5
fi
exec python3 test/suite.py "$@"
