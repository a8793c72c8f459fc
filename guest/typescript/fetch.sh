#!/bin/sh
# Fetches swc's TypeScript stripper (the one that Node.js ships) from npm, checks it, and lays it out as the cell loads it:
# the WebAssembly module and its glue apart, so that no base64 is decoded at run time. Run by hand for a new version.
set -eu
VERSION=1.16.2
INTEGRITY=sha512-ll8qaJBPyBNYRZ3MyRBB7KwM/BEWsxiNPSeX34wtFvRrWFO8wHgn1xoQbEp6Zoe3Um+rbd6Jtsb8Xhn96hiz2g==
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "@swc/wasm-typescript@$VERSION" > /dev/null
archive=swc-wasm-typescript-$VERSION.tgz
found="sha512-$(openssl dgst -sha512 -binary "$archive" | base64 -w 0)"
if [ "$found" != "$INTEGRITY" ]; then
    echo "integrity of @swc/wasm-typescript $VERSION is $found, not $INTEGRITY" >&2
    exit 1
fi
tar xzf "$archive"
python3 - "$here/dist" <<'PYTHON'
import base64, gzip, pathlib, re, sys

dist = pathlib.Path(sys.argv[1])
glue = pathlib.Path("package/wasm.js").read_text()
literal = re.search(r"const \{ Buffer \} = require\(['\"`]+(?:node:)?buffer['\"`]+\);\s*const bytes = Buffer\.from\('([A-Za-z0-9+/=]+)', 'base64'\);", glue)
if literal is None:
    literal = re.search(r"const bytes = Buffer\.from\('([A-Za-z0-9+/=]+)', 'base64'\);", glue)
dist.mkdir(exist_ok=True)
(dist / "typescript.wasm.gz").write_bytes(gzip.compress(base64.b64decode(literal[1]), 9, mtime=0))
(dist / "typescript.js").write_text(glue.replace(literal[0], "const bytes = require('bytes');").lstrip())
(dist / "LICENSE.swc").write_text(pathlib.Path("package/LICENSE").read_text())
PYTHON
cd "$here/dist"
sha256sum typescript.js typescript.wasm.gz LICENSE.swc > SHA256SUMS
