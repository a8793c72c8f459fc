"""Makes python313.zip: the standard library as .pyc files, without what cannot work in the wasm tier.

usage: python3.13 stdlib.py <Lib directory> <asyncio_loop.py> <kernel.py> <linked module> <result, stored>
           <result, deflated>

To be run by the very CPython version the .pyc files are for. The same input gives the same bytes.
"""

import ast
import importlib.util
import pathlib
import re
import sys
import zipfile

ROOT = "/lib/python313.zip"

# What needs processes, sockets, a terminal or a library that is not there, and what only developers of
# Python use.
DIRECTORIES = """
    test tests idlelib tkinter turtledemo lib2to3 ensurepip venv pydoc_data msilib curses ctypes sqlite3
    multiprocessing distutils __phello__ wsgiref xmlrpc site-packages __pycache__
"""
FILES = """
    __hello__ _aix_support _android_support _apple_support _ios_support _osx_support antigravity bz2 ftplib imaplib
    lzma mbcs oem nturl2path poplib proactor_events process pty selector_events smtplib ssl
    sslproto this tty turtle unix_events webbrowser windows_events windows_utils _pydatetime _pydecimal _pyio _py_abc
"""
DROPPED = re.compile(
    rf"(.*/)?(({'|'.join(DIRECTORIES.split())})/.*|({'|'.join(FILES.split())})\.py)|_pyrepl/(?!__init__|pager).*|dbm/(gnu|ndbm|sqlite3)\.py|encodings/bz2_codec\.py"
)


# The socket module exists, because much imports it, but says what it cannot do.
NO_NETWORK = b"""

def _no_network(*args, **kwargs):
    raise OSError(errno.ENOTSUP, "the wasm tier has no network sockets; use --tier gvisor, microvm or jail")

socket.__init__ = _no_network
getaddrinfo = getnameinfo = gethostbyname = gethostbyname_ex = gethostbyaddr = socketpair = _no_network
if not hasattr(_socket, "gethostname"):
    def gethostname():
        return "glovebox"
"""


class DropDocstrings(ast.NodeTransformer):
    """Takes docstrings away, as -OO does, and leaves assert statements, which -OO would not."""

    def visit(self, node):
        self.generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                del body[0]
                if not body and not isinstance(node, ast.Module):
                    body.append(ast.Pass(lineno=node.lineno, col_offset=0, end_lineno=node.lineno, end_col_offset=0))
        return node


def bytecode(source, name):
    """The .pyc of a module: unchecked hash, so that no file's time ever matters."""
    path = f"{ROOT}/{name}"
    # `from __future__` must stay first, and does: only docstrings stand before it.
    tree = ast.parse(source, path)
    if name != "_glovebox_kernel.py":  # programs see one of its functions, display(), with help
        tree = DropDocstrings().visit(tree)
    code = compile(tree, path, "exec", dont_inherit=True, optimize=0)
    return importlib._bootstrap_external._code_to_hash_pyc(code, importlib.util.source_hash(source), False)


def tables(module):
    """The constants that tables.c leaves out of the image, cut from the linked module; see mark.c."""
    data = pathlib.Path(module).read_bytes()
    begin, middle, end = (b"\0Glovebox\0" + mark.ljust(6, b"\0") for mark in (b"begin", b"middle", b"end"))
    if not all(data.count(mark) == 1 for mark in (begin, middle, end)):
        sys.exit(f"{module}: the marks around the tables are not there once each")
    at = [data.index(mark) for mark in (begin, middle, end)]
    if at != sorted(at) or not 1_000_000 < at[2] - at[0] < 2_000_000:
        sys.exit(f"{module}: the marks do not enclose the tables: {at}")
    return {
        "_glovebox/unicodedata": data[at[0] + 16 : at[1]],
        "_glovebox/cjkcodecs": data[at[1] + 16 : at[2]],
    }


def main(lib, loop, kernel, module, stored, deflated):
    lib = pathlib.Path(lib)
    names = sorted(str(path.relative_to(lib)) for path in lib.rglob("*.py"))
    sources = {name: (lib / name).read_bytes() for name in names if not DROPPED.fullmatch(name)}
    sources["socket.py"] += NO_NETWORK
    sources["asyncio/unix_events.py"] = pathlib.Path(loop).read_bytes()
    sources["asyncio/sslproto.py"] = b"# There is no TLS in the wasm tier; asyncio only wants the module to exist.\n"
    sources["_glovebox_kernel.py"] = pathlib.Path(kernel).read_bytes()
    sources["_sysconfigdata__wasi_wasm32-wasi.py"] = (
        b"build_time_vars = {'MACHDEP': 'wasi', 'EXT_SUFFIX': '', 'SOABI': '', 'Py_GIL_DISABLED': 0}\n"
    )
    files = {name + "c": bytecode(source, name) for name, source in sorted(sources.items())}
    files |= tables(module)
    for path, method in ((stored, zipfile.ZIP_STORED), (deflated, zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(path, "w", method, compresslevel=9) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = method
                entry.external_attr = 0o444 << 16
                archive.writestr(entry, data)
    print(len(files), "files,", sum(map(len, files.values())), "bytes")


main(*sys.argv[1:])
