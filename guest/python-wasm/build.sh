#!/bin/bash
# Builds Glovebox's Python image for the wasm tier from sources, into dist/ beside this script.
#
#   bash build.sh [scratch directory]      as root, on Debian 12; about 10 minutes on 2 cores
#
# Installs packages with apt; leaves apt's configuration as it is.  What is finished in the scratch
# directory is not done again: delete it to start anew.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mkdir -p "${1:-${TMPDIR:-/tmp}/glovebox-python-wasm}" && cd "${1:-${TMPDIR:-/tmp}/glovebox-python-wasm}" && pwd)
jobs=$(nproc)

PYTHON=3.13.5
ZLIB=1.3.1
WASI_LIBC='0.0~git20240708.3f43ea9-2~bpo12+1'
WIZER=10.0.0
LLVM=19

# How deep C code and the parser may nest: measured so that V8's default stack of 984 KiB suffices.
C_RECURSION_LIMIT=600
PARSER_MAX_DEPTH=2500
# Wasm's own stack in linear memory, and the memory an instance starts with: untouched pages cost nothing.
STACK=$((4 << 20))
INITIAL_MEMORY=$((20 << 20))
HASH_SEED=${HASH_SEED:-0} # 0: str hashes are not randomised; 1 to 4294967295: an own seed (README.md)

export SOURCE_DATE_EPOCH=1749600000 # the day CPython 3.13.5 was released: no clock in the result
export LC_ALL=C TZ=UTC

say() { printf '\n=== %s\n' "$*"; }

once() { # once <name> <command...>: runs a step unless it was finished before
    local name=$1
    shift
    if [ -e "$scratch/.done-$name" ]; then return; fi
    say "$name"
    (set -e; cd "$scratch"; "$@")
    touch "$scratch/.done-$name"
}

verify() { # verify <sha256> <file>
    echo "$1  $2" | sha256sum --check --quiet
}

install_tools() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        ca-certificates gcc libc6-dev make xz-utils zlib1g-dev debian-archive-keyring nodejs \
        "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM" "libclang-rt-$LLVM-dev-wasm32" wabt
    # A node from elsewhere brings its npm; Debian's does not.
    command -v npm >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm
}

fetch_sources() {
    # A private apt configuration that knows trixie's sources and bookworm's backports, at the same
    # mirror that the machine uses already.
    local apt=$scratch/apt mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Label: Debian' | head -n 1)
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" sources
    printf '%s\n' "deb [signed-by=$key] $mirror bookworm-backports main" \
        "deb-src [signed-by=$key] $mirror trixie main" >"$apt/sources.list"
    local options=(-q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/parts"
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    cd sources
    apt-get "${options[@]}" source --download-only --tar-only python3.13 zlib
    apt-get "${options[@]}" download "wasi-libc=$WASI_LIBC"
    verify 93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640 "python3.13_$PYTHON.orig.tar.xz"
    verify 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb "zlib_1.3.dfsg+really$ZLIB.orig.tar.gz"
    verify ab95a83896093f1f640f9954a5a64ef8e9635332e56fdbb3ed396aed13fe627f "wasi-libc_${WASI_LIBC}_all.deb"
    cd ..
    tar -xf "sources/python3.13_$PYTHON.orig.tar.xz"
    tar -xf "sources/zlib_1.3.dfsg+really$ZLIB.orig.tar.gz"
    dpkg -x "sources/wasi-libc_${WASI_LIBC}_all.deb" wasi-libc
}

fetch_wizer() {
    mkdir -p npm
    cd npm
    npm install --silent --no-audit --no-fund --ignore-scripts --save-exact "@bytecodealliance/wizer@$WIZER"
    verify bd74fcd8677c5c511f8a7b053965d774bf0534109638a8e1b015d6190d26cb6e node_modules/@bytecodealliance/wizer-linux-x64/wizer
}

# patch_line <file> <sed program> <pattern that must be there afterwards>
patch_line() {
    sed -i "$2" "$1"
    grep -q "$3" "$1"
}

patch_python() {
    cd "Python-$PYTHON"
    # The recursion limits become variables, which host.c defines.
    patch_line Include/cpython/pystate.h \
        's/^#  define Py_C_RECURSION_LIMIT 5000$/extern int gb_c_recursion_limit;\n#  define Py_C_RECURSION_LIMIT gb_c_recursion_limit/' \
        'LIMIT gb_c_recursion_limit'
    patch_line Parser/parser.c \
        's/^#    define MAXSTACK 4000$/extern int gb_parser_max_depth;\n#    define MAXSTACK gb_parser_max_depth/' \
        'MAXSTACK gb_parser_max_depth'
    # What cannot work says which tier has it.
    local tiers='use --tier gvisor, microvm or jail'
    patch_line Modules/_threadmodule.c "s/\"can't start new thread\"/\"can't start new thread: the wasm tier has no threads; $tiers\"/" "$tiers"
    patch_line Lib/subprocess.py "s/{sys.platform} does not support processes\\./the wasm tier has no processes; $tiers/" "$tiers"
}

build_native_python() { # compiles the standard library, and runs parts of the cross build
    mkdir -p native
    cd native
    "../Python-$PYTHON/configure" CFLAGS=-O1 --disable-test-modules >configure.log 2>&1
    make "-j$jobs" >make.log 2>&1
}

cc=("clang-$LLVM" --target=wasm32-wasi "--sysroot=$scratch/wasi-libc/usr")
cflags="-O2 -g0 -mbulk-memory -msign-ext -mnontrapping-fptoint -ffile-prefix-map=$scratch=."

build_zlib() {
    mkdir -p zlib-wasm
    cd zlib-wasm
    local f
    for f in adler32 crc32 compress uncompr deflate trees inflate inftrees inffast zutil; do
        "${cc[@]}" $cflags "-I../zlib-$ZLIB" -c "../zlib-$ZLIB/$f.c" -o "$f.o"
    done
    "llvm-ar-$LLVM" rcs libz.a ./*.o
}

build_wasm_python() {
    mkdir -p wasm
    cd wasm
    env CC="${cc[*]}" AR="llvm-ar-$LLVM" RANLIB="llvm-ranlib-$LLVM" LD="wasm-ld-$LLVM" READELF=true CXX=false \
        PKG_CONFIG=false PKG_CONFIG_LIBDIR=/nonexistent HOSTRUNNER=true ac_cv_func_dlopen=no \
        CONFIG_SITE="../Python-$PYTHON/Tools/wasm/config.site-wasm32-wasi" \
        ZLIB_CFLAGS="-I../zlib-$ZLIB" ZLIB_LIBS=../zlib-wasm/libz.a OPT='-DNDEBUG -fwrapv' CFLAGS="$cflags" \
        "../Python-$PYTHON/configure" --host=wasm32-wasi --build=x86_64-pc-linux-gnu --prefix=/usr \
        --with-build-python="$scratch/native/python" --disable-test-modules --disable-ipv6 \
        --without-mimalloc --with-pymalloc >configure.log 2>&1
    make "-j$jobs" libpython3.13.a Modules/_decimal/libmpdec/libmpdec.a Modules/expat/libexpat.a \
        Modules/_hacl/libHacl_Hash_SHA2.a >make.log 2>&1
}

# The steps below take seconds, and are done each time.

link() {
    local include="Python-$PYTHON/Include" file
    mkdir -p out
    for file in host scrub tables; do
        "${cc[@]}" $cflags -std=c11 -Wall -Wextra -Werror -D_WASI_EMULATED_SIGNAL \
            "-DGB_C_RECURSION_LIMIT=$C_RECURSION_LIMIT" "-DGB_PARSER_MAX_DEPTH=$PARSER_MAX_DEPTH" \
            "-DGB_HASH_SEED=$HASH_SEED" -isystem "$include" -isystem "$include/internal" -isystem wasm \
            -c "$here/$file.c" -o "out/$file.o"
    done
    for file in begin middle end; do
        "${cc[@]}" $cflags -std=c11 -Wall -Wextra -Werror "-DGB_MARK=$file" -c "$here/mark.c" -o "out/mark_$file.o"
    done
    # The order matters: mark.c says why.
    "${cc[@]}" $cflags -mexec-model=reactor -o out/raw.wasm out/host.o out/scrub.o out/tables.o \
        out/mark_begin.o wasm/Modules/unicodedata.o out/mark_middle.o wasm/Modules/cjkcodecs/*.o out/mark_end.o \
        wasm/libpython3.13.a \
        wasm/Modules/_decimal/libmpdec/libmpdec.a wasm/Modules/expat/libexpat.a \
        wasm/Modules/_hacl/libHacl_Hash_SHA2.a zlib-wasm/libz.a \
        -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lm \
        "-Wl,-z,stack-size=$STACK" -Wl,--stack-first "-Wl,--initial-memory=$INITIAL_MEMORY" -Wl,--gc-sections -Wl,--strip-all
}

pack_library() { # the zip that the image is made with (stored), and the same for the repository (deflated)
    native/python -I -X no_debug_ranges "$here/stdlib.py" "Python-$PYTHON/Lib" "$here/asyncio_loop.py" \
        "$here/kernel.py" out/raw.wasm out/python313.stored.zip out/python313.zip
}

cut_start() { # the memory that an interpreter has before its start, for images that are made at run time
    native/python -I "$here/start.py" out/raw.wasm out/python-start.wasm
}

initialise() { # runs the interpreter up to the point where every sandbox starts, and keeps its memory
    rm -rf out/root
    mkdir -p out/root/lib out/root/tmp out/root/home/user
    cp out/python313.stored.zip out/root/lib/python313.zip
    find out/root -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    # Streams must be pipes here, because the image keeps what it found out about them.
    : | npm/node_modules/@bytecodealliance/wizer-linux-x64/wizer --allow-wasi --inherit-stdio true \
        --wasm-bulk-memory true --init-func wizer_init --keep-init-func false \
        out/raw.wasm -o out/python.wasm --mapdir "/::$scratch/out/root" 2>&1 | cat
    wasm-strip out/python.wasm
}

publish() {
    rm -rf out/dist "$here/dist.new"
    mkdir -p out/dist "$here/dist"
    gzip -9nc out/python.wasm >out/dist/python.wasm.gz
    gzip -9nc out/python-start.wasm >out/dist/python-start.wasm.gz
    cp out/python313.zip out/dist/
    cp "Python-$PYTHON/LICENSE" out/dist/LICENSE.python
    cp "zlib-$ZLIB/LICENSE" out/dist/LICENSE.zlib
    cp wasi-libc/usr/share/doc/wasi-libc/copyright out/dist/LICENSE.wasi-libc
    {
        (cd out/dist && sha256sum LICENSE.* python.wasm.gz python-start.wasm.gz python313.zip)
        # what the files above become once unpacked, and repacked as stored
        (cd out && sha256sum python.wasm python-start.wasm python313.stored.zip)
    } >out/SHA256SUMS
    mv out/SHA256SUMS out/dist/
    # A reader of dist/ never sees half a file.
    cp -r out/dist "$here/dist.new"
    mv "$here"/dist.new/* "$here/dist/"
    rmdir "$here/dist.new"
    cat "$here/dist/SHA256SUMS"
}

once tools install_tools
once sources fetch_sources
once wizer fetch_wizer
once patch patch_python
once native-python build_native_python
once zlib build_zlib
once wasm-python build_wasm_python
cd "$scratch"
for step in link pack_library cut_start initialise publish; do
    say "$step"
    "$step"
done
