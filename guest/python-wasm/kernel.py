"""The kernel: what runs inside CPython in the wasm tier and does what the host asks.

The host calls gb_call() with one JSON request; host.c hands its bytes to call() here and returns the
status.  Results go to file descriptor 4, one JSON document a line.  prepare() runs once, when an
image is made, just before memory is frozen; everything else runs in a sandbox.

Code in the sandbox can reach and break this module.  That harms that sandbox only, so what is guarded
against here is accident (an endless repr, an exception that cannot be printed), not intent.
"""

import _glovebox
import ast
import base64
import builtins
import errno
import gc
import io
import json
import linecache
import os
import runpy
import signal
import sys
import traceback
import types

ZIP = "/lib/python313.zip"
USER_SITE = "/home/user/.local/lib/python3.13/site-packages"
RESULTS = 4  # the file descriptor the host reads results from

MAX_TEXT = 1 << 20  # characters of one text representation, value or traceback
MAX_MEDIA = 8 << 20  # characters of one other representation (an image in base64)

STRONGER = "use --tier gvisor, microvm or jail, whose templates have it"
MISSING = {
    "the wasm tier has no native extension modules": """
        numpy pandas scipy matplotlib sklearn torch torchvision tensorflow keras jax numba PIL cv2 skimage
        lxml pyarrow polars duckdb sqlite3 _sqlite3 psycopg psycopg2 pydantic_core cryptography ctypes
        _ctypes cffi cython greenlet gevent orjson regex tiktoken tokenizers transformers spacy nltk
        seaborn plotly bokeh statsmodels networkx sympy openpyxl h5py shapely geopandas pymupdf fitz
        bz2 _bz2 lzma _lzma
    """,
    "the wasm tier has no network sockets": """
        ssl _ssl requests urllib3 httpx httpcore aiohttp websockets websocket boto3 botocore paramiko
        openai anthropic redis pymongo grpc flask fastapi uvicorn tornado django ftplib imaplib poplib
        smtplib xmlrpc
    """,
    "the wasm tier has no processes and no threads": "multiprocessing _multiprocessing _posixsubprocess pexpect",
    "the wasm tier has no terminal and no display": "curses _curses readline termios tty pty tkinter turtle pygame",
}
WHY_MISSING = {name: why for why, names in MISSING.items() for name in names.split()}

HERE = (lambda: None).__code__.co_filename  # what frames of this file say
_stdin = _stdout = _stderr = None  # the kernel's own streams; sys.stdout may be anything by now
_ballast = None  # memory given up on MemoryError, so that the error can be reported
_contexts = {}


class _Tiers:
    """The last finder on sys.meta_path: says for modules that cannot work here which tier has them."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        why = WHY_MISSING.get(name.partition(".")[0])
        if why is not None:
            raise ModuleNotFoundError(f"No module named {name!r}: {why}; {STRONGER}", name=name)
        return None


class _Tables:
    """The first finder on sys.meta_path: puts back the constants of modules that need them (tables.c)."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        table = _tables.get(name)
        if table is not None:
            _glovebox.restore(table, _zip_reader.get_data(f"{ZIP}/_glovebox/{table}"))
            for module in [module for module in _tables if _tables[module] == table]:
                del _tables[module]
        return None


_tables = {
    "unicodedata": "unicodedata",
    "_codecs_cn": "cjkcodecs",
    "_codecs_hk": "cjkcodecs",
    "_codecs_iso2022": "cjkcodecs",
    "_codecs_jp": "cjkcodecs",
    "_codecs_kr": "cjkcodecs",
    "_codecs_tw": "cjkcodecs",
    "_multibytecodec": "cjkcodecs",
}


def _no_processes(command):
    raise OSError(errno.ENOTSUP, f"the wasm tier has no processes; {STRONGER}")


# ---------------------------------------------------------------- interrupts


def _ignore_interrupt(signum, frame):
    pass


def _arm():
    """From here on an interrupt raises KeyboardInterrupt, whatever earlier code did to the handler."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _disarm():
    """From here on interrupts are dropped: the kernel must not be cut short between two documents."""
    while True:
        try:
            signal.signal(signal.SIGINT, _ignore_interrupt)
            return
        except KeyboardInterrupt:
            pass


# ---------------------------------------------------------------- results


def _emit(document):
    """One document, one line of ASCII."""
    line = memoryview((json.dumps(document, check_circular=False) + "\n").encode("ascii"))
    while line:
        line = line[os.write(RESULTS, line) :]


def _bounded(text, limit=MAX_TEXT):
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n... [cut by Glovebox: {limit} of {len(text)} characters shown]"


_TEXTS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_latex_", "text/latex"),
    ("_repr_javascript_", "application/javascript"),
)
_IMAGES = (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))


def _represent(obj, method):
    """What the object's own representation method returns, or None if it has none or fails."""
    function = getattr(type(obj), method, None)
    if function is None or isinstance(obj, type):
        return None
    try:
        value = function(obj)
    except Exception:
        return None
    # Jupyter allows (data, metadata)
    return value[0] if isinstance(value, tuple) and value else value


def _bundle(obj):
    """The object as {MIME type: representation}. Runs its code: anything may happen."""
    data = {}
    whole = _represent(obj, "_repr_mimebundle_")
    if isinstance(whole, dict):
        for mime, value in whole.items():
            if isinstance(value, bytes):
                value = base64.b64encode(value).decode("ascii")
            if isinstance(mime, str) and _fits(value):
                data[mime] = value
    for method, mime in _TEXTS:
        value = _represent(obj, method) if mime not in data else None
        if isinstance(value, str) and _fits(value):
            data[mime] = value
    for method, mime in _IMAGES:
        value = _represent(obj, method) if mime not in data else None
        if isinstance(value, bytes):
            value = base64.b64encode(value).decode("ascii")
        if isinstance(value, str) and _fits(value):
            data[mime] = value
    value = _represent(obj, "_repr_json_") if "application/json" not in data else None
    if value is not None and _fits(value):
        data["application/json"] = value
    if not isinstance(data.get("text/plain"), str):
        data["text/plain"] = repr(obj)
    data["text/plain"] = _bounded(data["text/plain"])
    return data


def _fits(value):
    """Whether the value can be sent: text, or JSON, of a bearable size."""
    if not isinstance(value, str):
        try:
            value = json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            return False
    return len(value) <= MAX_MEDIA


def display(*objects, raw=False):
    """Show objects as results, as Jupyter's display() does; raw=True takes MIME bundles as they are."""
    for obj in objects:
        data = {str(k): v for k, v in obj.items() if _fits(v)} if raw else _bundle(obj)
        sys.stdout.flush()
        _emit({"type": "result", "main": False, "data": data})


# ---------------------------------------------------------------- errors


def _describe(error):
    """The error as a document; formats it, and so may run its code: to be called while armed."""
    global _ballast
    if isinstance(error, MemoryError):
        _ballast = None
        gc.collect()
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename == HERE:
        tb = tb.tb_next
    error.__traceback__ = tb
    # First, because the traceback module would swallow the interrupt of an endless __str__.
    try:
        value = str(error)
    except Exception:
        value = "<exception str() failed>"
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__name__}: <this error cannot be formatted>\n"
    return _error(type(error).__name__, _bounded(value), _bounded(text))


def _error(name, value="", text=None):
    text = f"{name}: {value}\n" if text is None else text
    return {"type": "error", "name": name, "value": value, "traceback": text}


def _guarded(function, *arguments):
    """Calls a function while armed. Returns its value and None, or None and the error's document."""
    try:
        try:
            _arm()
            return function(*arguments), None
        except BaseException as error:
            # A SystemExit of a program is its way to end, and not an error.
            if isinstance(error, SystemExit) and function is not _execute:
                return _exit_status(error), None
            return None, _describe(error)
    except KeyboardInterrupt:
        _disarm()
        return None, _error("KeyboardInterrupt")
    except BaseException as error:
        _disarm()
        return None, _error(type(error).__name__)
    finally:
        _disarm()


def _exit_status(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _remember(filename, source):
    """Lets tracebacks and inspect.getsource() show code that is in no file."""
    lines = [line + "\n" for line in source.splitlines()]
    linecache.cache[filename] = (len(source), None, lines, filename)


# ---------------------------------------------------------------- programs: run, runpath, runmodule


def _program(path0, argv0):
    """A new __main__, with sys.path[0] and sys.argv[0] as the interpreter would have set them."""
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    sys.stdin, sys.stdout, sys.stderr = _stdin, _stdout, _stderr
    sys.argv[:1] = [argv0]
    sys.path[:] = [path0, *_base_path]
    return main


def _run_source(source, filename):
    main = _program(os.path.dirname(filename) or os.getcwd(), filename)
    main.__file__ = filename
    main.__cached__ = None
    exec(compile(source, filename, "exec", dont_inherit=True), main.__dict__)
    return 0


def _run_text(source, filename):
    _remember(filename, source)
    return _run_source(source, filename)


def _run_path(path):
    with open(path, "rb") as file:
        source = file.read()
    return _run_source(source, path)


def _run_module(name):
    _program(os.getcwd(), name)
    runpy._run_module_as_main(name)
    return 0


def _run(function, *arguments):
    """Runs a program to its end and says how it ended: its exit status."""
    status, error = _guarded(function, *arguments)
    at_exit_error = _guarded(_at_exit)[1]
    error = error or at_exit_error
    if error is None:
        return status
    try:
        _stderr.write(error["traceback"])
    except BaseException:
        pass
    _flush()
    _emit(error)
    return 130 if error["name"] == "KeyboardInterrupt" else 1


def _at_exit():
    import atexit

    atexit._run_exitfuncs()
    if not getattr(sys.stdout, "closed", True):
        sys.stdout.flush()


# ---------------------------------------------------------------- contexts: open, execute, close


class _Context:
    """A notebook: a namespace, a working directory and an event loop that live from cell to cell."""

    def __init__(self, cwd):
        self.module = types.ModuleType("__main__")
        self.module.__builtins__ = builtins
        self.cwd = cwd
        self.path = [cwd, *_base_path]
        self.argv = [""]
        self.cells = 0
        self.loop = None

    def run_coroutine(self, coroutine):
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            # Let the cell's task clean up, so that the next cell does not find it still running.
            task.cancel()
            try:
                self.loop.run_until_complete(task)
            except BaseException:
                pass
            raise


def _execute(context, source):
    """Runs one cell; returns the MIME bundle of its last expression, or None."""
    context.cells += 1
    filename = f"<cell {context.cells}>"
    _remember(filename, source)
    tree = compile(source, filename, "exec", _CELL_FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    namespace = context.module.__dict__
    value = None
    if tree.body:
        _evaluate(context, compile(tree, filename, "exec", _CELL_FLAGS, dont_inherit=True), namespace)
    if last is not None:
        code = compile(last, filename, "eval", _CELL_FLAGS, dont_inherit=True)
        value = _evaluate(context, code, namespace)
    if value is None:
        return None
    namespace["_"] = value
    return _bundle(value)


_CELL_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_CO_COROUTINE = 0x80


def _evaluate(context, code, namespace):
    value = eval(code, namespace)
    return context.run_coroutine(value) if code.co_flags & _CO_COROUTINE else value


def _cell(context, source, env):
    sys.modules["__main__"] = context.module
    before = {name: os.environ.get(name) for name in env}
    other_path, other_argv, other_cwd = sys.path, sys.argv, os.getcwd()
    sys.path, sys.argv = context.path, context.argv
    try:
        _change_directory(context.cwd)
        os.environ.update(env)
        data, error = _guarded(_execute, context, source)
    finally:
        context.path, context.argv, context.cwd = sys.path, sys.argv, os.getcwd()
        sys.path, sys.argv = other_path, other_argv
        _change_directory(other_cwd)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    _flush()
    if error is not None:
        _emit(error)
    elif data is not None:
        _emit({"type": "result", "main": True, "data": data})
    _emit({"type": "end", "status": "ok" if error is None else "error"})
    return 0 if error is None else 1


def _change_directory(path):
    try:
        os.chdir(path)
    except OSError:
        pass  # the directory went away: stay where we are, as a shell would


# ---------------------------------------------------------------- requests


def _op_boot(request):
    """Makes this copy of the image its own: entropy, arguments, environment, directory."""
    global _base_path
    import random

    random.seed(bytes.fromhex(request["entropy"]))
    logging = sys.modules.get("logging")
    if logging is not None:
        import time

        logging._startTime = time.time_ns()
    sys.argv[:] = request.get("argv") or [""]
    os.environ.clear()
    os.environ.update(request.get("env") or {})
    _change_directory(request.get("cwd") or "/")
    _check_zip()
    if os.path.isdir(USER_SITE):
        _base_path = [ZIP, USER_SITE]
    sys.path[:] = _base_path
    return 0


def _op_run(request):
    return _run(_run_text, request["code"], request.get("filename") or "/home/user/main.py")


def _op_runpath(request):
    return _run(_run_path, request["path"])


def _op_runmodule(request):
    return _run(_run_module, request["module"])


def _op_open(request):
    _contexts[request["context"]] = _Context(request.get("cwd") or os.getcwd())
    return 0


def _op_execute(request):
    context = _contexts.get(request["context"])
    if context is None:
        _emit(_error("LookupError", f"no context {request['context']!r}"))
        _emit({"type": "end", "status": "error"})
        return 1
    return _cell(context, request["code"], request.get("env") or {})


def _op_close(request):
    context = _contexts.pop(request["context"], None)
    if context is not None and context.loop is not None and not context.loop.is_closed():
        context.loop.close()
    context = None
    gc.collect()
    return 0


_OPS = {
    "boot": _op_boot,
    "run": _op_run,
    "runpath": _op_runpath,
    "runmodule": _op_runmodule,
    "open": _op_open,
    "execute": _op_execute,
    "close": _op_close,
}


def call(request):
    """One request, from its bytes to its status. What goes wrong here, and not in the sandbox's own
    code, is reported as an error too: a kernel that says nothing cannot be repaired."""
    global _ballast
    try:
        if _ballast is None:
            _ballast = bytearray(1 << 18)
        _open_streams()
        _forget_directories()
        request = json.loads(request)
        return _OPS[request["op"]](request)
    except BaseException as error:
        _disarm()
        _emit(_describe(error))
        return 1
    finally:
        _flush()


def _forget_directories():
    """The host may have changed files between two requests, and its clock may be too coarse to tell."""
    cache = sys.path_importer_cache
    for path in [path for path in cache if path != ZIP]:
        del cache[path]


def _flush():
    for stream in (sys.stdout, _stdout, sys.stderr, _stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def _open_streams():
    """Streams on 0, 1 and 2 that pass on each line at once; again if a program closed them."""
    global _stdin, _stdout, _stderr
    if _stdout is not None and not (_stdin.closed or _stdout.closed or _stderr.closed):
        return
    _stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), "utf-8", "surrogateescape")
    _stdout = _writer(1, "<stdout>", "surrogateescape")
    _stderr = _writer(2, "<stderr>", "backslashreplace")
    sys.stdin, sys.stdout, sys.stderr = _stdin, _stdout, _stderr
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = _stdin, _stdout, _stderr


def _writer(fd, name, errors):
    raw = io.FileIO(fd, "w", closefd=False)
    raw.name = name
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=True)


def _check_zip():
    """The image remembers the directory of python313.zip; another zip than it was built with is read anew."""
    try:
        if os.stat(ZIP).st_size == _zip_size:
            return
    except OSError:
        pass
    _zip_reader.invalidate_caches()


# ---------------------------------------------------------------- the image


def prepare():
    """Brings the interpreter into the state that every sandbox starts from."""
    global _base_path, _zip_size, _zip_reader
    import _imp
    import _sitebuiltins
    import zipimport

    _zip_reader = zipimport.zipimporter(ZIP)
    _zip_size = os.stat(ZIP).st_size
    for name in PRELOAD:
        __import__(name)
    assert not _tables.keys() & sys.modules.keys()
    sys.meta_path.insert(0, _Tables)
    sys.meta_path.append(_Tiers)
    os.system = _no_processes
    builtins.display = display
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()
    _base_path = [ZIP]
    sys.path[:] = _base_path
    linecache.clearcache()
    # Nothing of this moment stays in the image; boot brings real entropy and the real time.
    sys.modules["random"].seed(0)
    sys.modules["logging"]._startTime = 0
    _open_streams()
    _disarm()
    os.chdir("/")
    call(b'{"op": "open", "context": "", "cwd": "/"}')
    _contexts.clear()
    # The frozen modules are loaded and wiped (scrub.c); whoever reloads one gets it from the zip.
    _imp._override_frozen_modules_for_tests(-1)
    gc.collect()
    gc.freeze()


# What programs of agents import most. Each costs start-up time in every sandbox, see README.md.
PRELOAD = """
    abc array ast asyncio base64 bisect cmath codecs collections collections.abc
    contextlib contextvars copy csv dataclasses datetime decimal enum fractions functools glob
    hashlib heapq importlib importlib.util inspect io itertools json logging math numbers operator
    os pathlib pprint random re secrets shutil statistics string struct sys tempfile
    textwrap time traceback types typing uuid weakref zlib
""".split()
