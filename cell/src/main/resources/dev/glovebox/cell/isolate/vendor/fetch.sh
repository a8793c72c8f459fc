#!/bin/sh
# Makes the bundles beside this file anew from npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y > /dev/null
npm install --ignore-scripts --silent acorn@8.19.0 buffer@6.0.3 core-js-pure@3.51.0 events@3.3.0 path-browserify@1.0.1 \
    esbuild@0.28.2 @esbuild/linux-x64@0.28.2
cat > url.js << 'JS'
const URLSearchParams = require('core-js-pure/actual/url-search-params');
module.exports = { URL: require('core-js-pure/actual/url'), URLSearchParams };
JS
echo "module.exports = require('buffer/');" > buffer.js
bundle() {
    node_modules/@esbuild/linux-x64/bin/esbuild "$1" --bundle --format=cjs --minify --platform=neutral --main-fields=main \
        --log-level=error --outfile="$here/$2.js"
}
bundle node_modules/acorn/dist/acorn.mjs acorn
bundle buffer.js buffer
bundle url.js url
bundle node_modules/events/events.js events
bundle node_modules/path-browserify/index.js path
for library in acorn buffer base64-js ieee754 core-js-pure events path-browserify; do
    echo "==== $library"
    cat node_modules/$library/LICENSE*
done > "$here/LICENSES"
