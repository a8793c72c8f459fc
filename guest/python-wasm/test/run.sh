#!/bin/bash
# Checks the artifact in dist/ under node 20: prints "N passed, N failed", and fails if any failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec node "$here/check.mjs" "${1:-$here/../dist}"
