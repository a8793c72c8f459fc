#!/bin/sh
# Builds the supervisor and the agent, and runs all tests against a template's image: GLOVEBOX_TEST_IMAGE (an erofs image
# or a directory), else `code` of build/test-home. Needs root. The last line says how many passed, failed and were
# skipped. With arguments: only the tests whose names contain one of them.
set -eu
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1
make -s all
make -s -C ../agent
exec python3 test/suite.py "$@"
