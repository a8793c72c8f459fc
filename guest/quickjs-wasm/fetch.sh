#!/bin/sh
# Fetches quickjs.wasm from the npm registry and checks it against dist/SHA256SUMS. Nothing of the package is executed.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent quickjs-wasi@3.7.0 >/dev/null && tar xzf quickjs-wasi-3.7.0.tgz)
mkdir -p dist
cp "$work/package/quickjs.wasm" dist/quickjs.wasm
cp "$work/package/LICENSE" dist/LICENSE.quickjs-wasi
(cd dist && sha256sum --check --quiet SHA256SUMS)
