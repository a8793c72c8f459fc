"""The Python kernel of a code interpreter context: keeps the state of a notebook and runs its cells.

The agent starts it as `python3 -u python.py` and speaks records with it over descriptor 3, see
docs/agent-protocol.md; or a zygote imports it, calls preload() once, and serve_forked() in every child.

Code in the sandbox can reach and break this module. That harms that sandbox only, so what is guarded against here is
accident (an endless repr, an exception that cannot be printed), not intent.
"""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import _thread
import ast
import builtins
import gc
import importlib
import io
import linecache
import os
import select
import signal
import socket
import sys
import traceback
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import python_display as display_data  # noqa: E402
import python_figures as figures  # noqa: E402
import python_images as images  # noqa: E402
import python_ipython as ipython  # noqa: E402
import python_magics as magics  # noqa: E402
import python_records as records  # noqa: E402

sys.path.remove(HERE)

CONNECTION = 3
_INPUT, _QUIT = builtins.input, getattr(builtins, "exit", sys.exit)
AGENT_SECONDS = 2  # for the agent to hear of a program's end
MAX_ERROR = 250_000  # characters of each text of an error; the host's bound is a little more

_CELL_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_CO_COROUTINE = 0x80


def _wake(signum, frame):
    """Sent by the agent after an interrupt: one that came just before a system call began would wait for its end."""


class Kernel:
    """One notebook: its namespace and event loop, and the connection to the agent."""

    def __init__(self, connection):
        self.connection = connection
        self.module = types.ModuleType("__main__")
        self.module.__builtins__ = builtins
        self.cells = 0
        self.loop = None
        self.pid = os.getpid()
        self.sending = _thread.allocate_lock()
        self.interrupted = False
        self.has_request = False  # from before it is read until its code can be interrupted
        self.ballast = None  # memory given up on MemoryError, so that the error can be reported

    # ------------------------------------------------------------ the agent

    def send(self, *fields):
        # A child that the code forked shares the socket, and must not speak on it.
        if os.getpid() != self.pid:
            return
        record = records.encode(fields)
        # An interrupt waits until the record is whole, and so do other threads.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            with self.sending:
                self.connection.sendall(record)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def serve(self):
        """Runs what the agent sends, until it closes the connection."""
        self.disarm()
        self.send((records.STARTED, 1))
        while True:
            select.select([self.connection], [], [])
            self.has_request = True
            request = records.receive(self.connection)
            if request is None:
                return
            if any(tag == records.FILE_NAME for tag, _ in request):
                _run_program(self, request)
            code = b"".join(value for tag, value in request if tag == records.CODE).decode("utf-8", "replace")
            env = [value.decode("utf-8", "surrogateescape") for tag, value in request if tag == records.ENVIRONMENT]
            failed = self.run(code, dict(entry.split("=", 1) for entry in env if "=" in entry))
            self.send((records.OUTCOME, records.EXITED), (records.EXIT_CODE, 1 if failed else 0))

    def emit(self, main, data):
        """Sends a result, after everything that was printed before it."""
        flush()
        texts = display_data.sendable(data)
        fields = [(records.MAIN_RESULT, 1 if main else 0)]
        for mime, text in texts.items():
            fields += [(records.MIME_TYPE, mime), (records.MIME_CONTENT, text)]
        self.send(*fields)

    def emit_error(self, name, value, text):
        self.send((records.ERROR_NAME, name), (records.ERROR_VALUE, value), (records.ERROR_TRACEBACK, text))

    # ------------------------------------------------------------ interrupts

    def arm(self):
        """From here on an interrupt raises KeyboardInterrupt, whatever earlier code did to the handler."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGURG, _wake)
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def disarm(self):
        """From here on interrupts are dropped: the kernel must not be cut short between two records."""
        while True:
            try:
                signal.signal(signal.SIGINT, self.interrupt)
                self.has_request = False
                return
            except KeyboardInterrupt:
                pass

    def interrupt(self, signum, frame):
        """An interrupt outside of a cell: meant for the next one if its code is on its way, else too late."""
        self.interrupted = self.has_request or bool(select.select([self.connection], [], [], 0)[0])

    def guarded(self, function, *arguments):
        """Calls a function while armed. Returns its value and None, or None and the error as three texts."""
        try:
            try:
                self.arm()
                return function(*arguments), None
            except BaseException as error:
                return None, self.describe(error)
        except KeyboardInterrupt:
            self.disarm()
            return None, ("KeyboardInterrupt", "", "KeyboardInterrupt\n")
        except BaseException as error:
            self.disarm()
            return None, (type(error).__name__, "", type(error).__name__ + "\n")
        finally:
            self.disarm()

    # ------------------------------------------------------------ cells

    def run(self, source, env):
        """One cell, from its code to its last result; says whether it failed."""
        if self.ballast is None:
            self.ballast = bytearray(1 << 18)
        before = {name: os.environ.get(name) for name in env}
        sys.modules["__main__"] = self.module
        open_streams()
        # Files may have come that no directory listing knows yet: written by the host, or by pip in an earlier cell.
        importlib.invalidate_caches()
        try:
            os.environ.update(env)
            value, error = self.guarded(self.evaluate_cell, source)
            figures_error = self.guarded(figures.emit_open_figures, self.emit)[1]
        finally:
            for name, old in before.items():
                if old is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = old
        if os.getpid() != self.pid:
            flush()
            os._exit(1 if error else 0)
        error = error or figures_error
        self.guarded(flush)
        if error is not None:
            self.emit_error(*error)
        return error is not None

    def evaluate_cell(self, source):
        """Runs the statements, and shows the value of the last expression."""
        self.cells += 1
        filename = f"<cell {self.cells}>"
        # Lets tracebacks and inspect.getsource() show code that is in no file.
        lines = [line + "\n" for line in source.splitlines()]
        linecache.cache[filename] = (len(source), None, lines, filename)
        tree = self.parse(source, filename)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        if tree.body:
            self.evaluate(compile(tree, filename, "exec", _CELL_FLAGS, dont_inherit=True))
        if last is None:
            return
        value = self.evaluate(compile(last, filename, "eval", _CELL_FLAGS, dont_inherit=True))
        if value is None:
            return
        self.module.__dict__["_"] = value
        if figures.is_figure(value):
            self.emit(True, figures.bundle(value))
            figures.close(value)
        else:
            self.emit(True, display_data.bundle(value))

    @staticmethod
    def parse(source, filename):
        flags = _CELL_FLAGS | ast.PyCF_ONLY_AST
        try:
            return compile(source, filename, "exec", flags, dont_inherit=True)
        except SyntaxError:
            translated = magics.translate(source)
            if translated is None:
                raise
            return compile(translated, filename, "exec", flags, dont_inherit=True)

    def evaluate(self, code):
        value = eval(code, self.module.__dict__)
        return self.run_coroutine(value) if code.co_flags & _CO_COROUTINE else value

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

    # ------------------------------------------------------------ errors

    def describe(self, error):
        """Name, value and traceback; formats the error, and so may run its code: to be called while armed."""
        if isinstance(error, MemoryError):
            self.ballast = None
            gc.collect()
        error.__traceback__ = _without_kernel(error.__traceback__)
        # First, because the traceback module would swallow the interrupt of an endless __str__.
        try:
            value = str(error)
        except Exception:
            value = "<exception str() failed>"
        try:
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        except Exception:
            text = f"{type(error).__name__}: <this error cannot be formatted>\n"
        return (
            type(error).__name__,
            display_data.bounded(value, MAX_ERROR),
            display_data.bounded(text, MAX_ERROR),
        )


def _without_kernel(tb):
    """The traceback from the cell's own first frame on: neither the kernel's frames nor asyncio's above it."""
    at = tb
    while at is not None and not at.tb_frame.f_code.co_filename.startswith("<cell "):
        at = at.tb_next
    if at is not None:
        return at
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith(HERE):
        tb = tb.tb_next
    return tb


# ---------------------------------------------------------------- streams


def open_streams():
    """Streams on 1 and 2 that pass on each line at once, as a terminal's would; again if a cell closed them."""
    if not getattr(sys.stdout, "closed", True) and not getattr(sys.stderr, "closed", True):
        return
    sys.stdout = sys.__stdout__ = _writer(1, "<stdout>", "surrogateescape")
    sys.stderr = sys.__stderr__ = _writer(2, "<stderr>", "backslashreplace")


def _writer(descriptor, name, errors):
    # Not the interpreter's own -u: it makes two writes of each print, and loses what a pipe takes only in part.
    raw = io.FileIO(descriptor, "w", closefd=False)
    raw.name = name
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=True)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None:
        try:
            ctypes.CDLL(None).fflush(None)  # what native extensions printed
        except Exception:
            pass


# ---------------------------------------------------------------- what cells find


def _no_input(prompt=""):
    raise EOFError(
        "input() has nothing to read: a cell has no standard input; put the value into the code, a file or an"
        " environment variable"
    )


class _Quitter:
    """exit and quit: end the cell, and leave the streams open."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() to end the cell"

    def __call__(self, code=None):
        raise SystemExit(code)


def _furnish(kernel):
    def display(*objects, raw=False, **ignored):
        """Show objects as results, as Jupyter's display() does; raw=True takes MIME bundles as they are."""
        for obj in objects:
            if raw:
                data = {str(mime): content for mime, content in obj.items()}
            elif figures.is_figure(obj):
                data = figures.bundle(obj)
                figures.close(obj)
            else:
                data = display_data.bundle(obj)
            kernel.emit(False, data)

    builtins.display = display
    builtins.input = _no_input
    setattr(builtins, magics.SHELL, magics.shell)
    setattr(builtins, magics.CHANGE_DIRECTORY, magics.change_directory)
    builtins.exit = _Quitter("exit")
    builtins.quit = _Quitter("quit")
    figures.install(kernel.emit)
    images.install(kernel.emit)
    ipython.install()
    # For programs that a cell starts, too: there is no display here.
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.argv[:] = [""]
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != HERE and path]
    sys.path.insert(0, "")
    _expect_user_packages()


def _expect_user_packages():
    """Where pip puts things for the user is on the path before it exists, so that they can be imported at once."""
    import site

    place = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    if place is not None and place not in sys.path:
        system = [i for i, path in enumerate(sys.path) if path.endswith(("dist-packages", "site-packages"))]
        sys.path.insert(min(system, default=len(sys.path)), place)


# ---------------------------------------------------------------- programs


def _run_program(kernel, request):
    """Becomes a program, as if `python3 FILE_NAME` had been called; ends the process with its status."""

    def values(wanted):
        return [value for tag, value in request if tag == wanted]

    name = values(records.FILE_NAME)[0].decode("utf-8", "surrogateescape")
    os.environ.clear()
    os.environ.update(
        entry.decode("utf-8", "surrogateescape").split("=", 1) for entry in values(records.ENVIRONMENT) if b"=" in entry
    )
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.chdir(values(records.DIRECTORY)[0])
    sys.argv[:] = [value.decode("utf-8", "surrogateescape") for value in values(records.ARGUMENT)] or [name]
    builtins.input = _INPUT
    builtins.exit = builtins.quit = _QUIT
    sys.modules["__main__"] = kernel.module
    kernel.module.__dict__.update(__file__=name, __cached__=None)
    code = b"".join(values(records.CODE))
    text = code.decode("utf-8", "replace")
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    status = _program_status(kernel, code, name)
    try:
        import atexit
        import threading

        threading._shutdown()  # waits for the program's threads, as every interpreter does
        atexit._run_exitfuncs()
    except BaseException:
        pass
    flush()
    try:
        # The agent takes this for the end, notes what was used, and ends the process: to die takes it milliseconds, for
        # which nobody should wait.
        kernel.send((records.OUTCOME, records.EXITED), (records.EXIT_CODE, status))
        signal.alarm(AGENT_SECONDS)
        kernel.connection.recv(1)
    except BaseException:
        pass
    os._exit(status)


def _program_status(kernel, code, name):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGURG, _wake)
    try:
        exec(compile(code, name, "exec", dont_inherit=True), kernel.module.__dict__)
        figures.emit_open_figures(kernel.emit)
        return 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        sys.stderr.write(f"{end.code}\n")
        return 1
    except KeyboardInterrupt as error:
        _tell(kernel, error, name)
        return 130
    except BaseException as error:
        _tell(kernel, error, name)
        return 1


def _tell(kernel, error, name):
    """Says how the program failed: to people on standard error, and to the agent."""
    try:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        error.__traceback__ = trace
        if isinstance(error, MemoryError):
            kernel.ballast = None
            gc.collect()
        sys.excepthook(type(error), error, trace)
        flush()
        text = "".join(traceback.format_exception(type(error), error, trace))
        try:
            value = str(error)
        except Exception:
            value = ""
        kernel.emit_error(
            type(error).__name__,
            display_data.bounded(value, MAX_ERROR),
            display_data.bounded(text, MAX_ERROR),
        )
    except BaseException:
        pass


# ---------------------------------------------------------------- a zygote's use


def preload():
    """Imports what is slow to import, once, in a process that will be forked for each sandbox."""
    # A thread of the zygote would be missing in its children, and forbids unshare(CLONE_NEWUSER).
    threads = [name for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS") if name not in os.environ]
    for name in threads:
        os.environ[name] = "1"
    try:
        for name in ("numpy", "pandas"):
            try:
                __import__(name)
            except ImportError:
                pass  # this template has none
    finally:
        for name in threads:
            del os.environ[name]
    gc.collect()
    gc.freeze()  # the children's collector must not touch, and so copy, what they share


def reseed():
    """Gives a forked child randomness of its own. What cannot be changed any more is the seed of str hashes."""
    import random

    random.seed(os.urandom(64))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(int.from_bytes(os.urandom(4), "little"))
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._last_timestamp = None
        uuid._node = None
    ssl = sys.modules.get("ssl")
    if ssl is not None:
        ssl.RAND_add(os.urandom(32), 32.0)  # OpenSSL notices forks itself; this does not depend on its version


def serve(connection):
    """Serves one agent on a connected socket, until it goes; does not return to the code that was imported."""
    connection.set_inheritable(False)
    kernel = Kernel(connection)
    kernel.home = sys.modules["__main__"]  # cells get another __main__; this one must live on
    sys.stdout = sys.__stdout__ = sys.stderr = sys.__stderr__ = None
    open_streams()
    _furnish(kernel)
    try:
        kernel.serve()
    except (BrokenPipeError, ConnectionError):
        pass  # the agent went: so do we
    flush()
    os._exit(0)  # threads of the code must not keep a kernel alive that nobody can reach


def serve_forked(connection):
    """The same in a child of a process that called preload()."""
    reseed()
    serve(connection)


if __name__ == "__main__":
    if sys.argv[1:] == ["preload"]:
        preload()
    serve(socket.socket(fileno=CONNECTION))
