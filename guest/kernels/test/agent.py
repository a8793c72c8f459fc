"""The agent's side of a kernel's socket, for tests: starts a kernel, runs cells, gathers what comes back."""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import python_records as records  # noqa: E402

ROOT = os.environ.get("KERNEL_ROOT")
KERNELS = "/opt/glovebox/kernels" if ROOT else os.path.dirname(HERE)
PYTHON = [os.environ.get("KERNEL_PYTHON", "python3"), "-u", KERNELS + "/python.py"]
NODE = [os.environ.get("KERNEL_NODE", "node"), KERNELS + "/javascript.js"]


class Cell:
    """What one execution gave."""

    def __init__(self):
        self.stdout = b""
        self.stderr = b""
        self.results = []  # (main, {type: content})
        self.error = None  # (name, value, traceback)
        self.exit = None
        self.seconds = 0.0

    @property
    def out(self):
        return self.stdout.decode("utf-8", "replace")

    @property
    def err(self):
        return self.stderr.decode("utf-8", "replace")

    @property
    def value(self):
        """text/plain of the last expression."""
        return next((data["text/plain"] for main, data in self.results if main), None)

    def json(self, mime, index=0):
        return json.loads(self.results[index][1][mime])

    def __str__(self):
        return f"exit {self.exit}, stdout {self.out!r}, stderr {self.err!r}, results {self.results}, error {self.error}"


class Kernel:
    def __init__(self, command, env=None, directory=None):
        self.socket, other = socket.socketpair()
        environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", "LANG": "C.UTF-8", **(env or {})}
        if ROOT:
            command = ["chroot", ROOT, "env", "-C", directory or "/tmp", *command]

        def on_three():
            os.dup2(other.fileno(), 3)
            os.set_inheritable(3, True)

        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=on_three,
            pass_fds=(3,),
            env=environment,
            cwd=directory,
        )
        other.close()
        self.selector = selectors.DefaultSelector()
        for stream in (self.process.stdout, self.process.stderr, self.socket):
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ)
        self.received = b""
        self.started = False
        self._until(lambda: self.started, Cell(), 20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the kernel outlived its agent's connection")
        finally:
            self.process.stdout.close()
            self.process.stderr.close()
            self.selector.close()

    def send(self, code, env=None, language=None):
        fields = [(records.ENVIRONMENT, f"{name}={value}") for name, value in (env or {}).items()]
        fields += [(26, language)] if language else []
        data = code.encode()
        # As the agent joins them: a long program comes in several fields.
        fields += [(records.CODE, data[at : at + 60000]) for at in range(0, max(len(data), 1), 60000)]
        os.set_blocking(self.socket.fileno(), True)
        self.socket.sendall(records.encode(fields))
        os.set_blocking(self.socket.fileno(), False)

    def run(self, code, env=None, language=None, interrupt_on=None, seconds=30):
        """One execution; interrupts it as soon as its standard output holds a text."""
        self.send(code, env, language)
        return self.finish(interrupt_on, seconds)

    def finish(self, interrupt_on=None, seconds=30):
        cell = Cell()
        began = time.monotonic()
        if interrupt_on is not None:
            self._until(lambda: interrupt_on in cell.out, cell, seconds)
            self.interrupt()
            self._nudge_until(lambda: cell.exit is not None, cell)
        self._until(lambda: cell.exit is not None, cell, seconds)
        self._drain(cell)
        cell.seconds = time.monotonic() - began
        return cell

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def _nudge_until(self, done, cell):
        """As the agent does, for the 500 ms that it gives an interrupt."""
        pause = 0.002
        while not done() and pause < 0.5:
            try:
                self._until(done, cell, pause)
            except AssertionError:
                os.kill(self.process.pid, signal.SIGURG)
            pause *= 2

    def _until(self, done, cell, seconds):
        deadline = time.monotonic() + seconds
        while not done():
            left = deadline - time.monotonic()
            if left <= 0 or (self.process.poll() is not None and not self.selector.select(0)):
                raise AssertionError(f"the kernel does not answer (exit {self.process.poll()}): {cell}")
            self._step(cell, min(left, 0.5))

    def _drain(self, cell):
        # OUTCOME is only sent when the streams are flushed: whatever belongs to the cell is in the pipes now.
        while self._step(cell, 0):
            pass

    def _step(self, cell, seconds):
        """Whether anything came."""
        came = False
        for key, _ in self.selector.select(seconds):
            stream = key.fileobj
            try:
                data = os.read(stream.fileno(), 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                self.selector.unregister(stream)
                continue
            came = True
            if stream is self.process.stdout:
                cell.stdout += data
            elif stream is self.process.stderr:
                cell.stderr += data
            else:
                self.received += data
                self._records(cell)
        return came

    def _records(self, cell):
        while len(self.received) >= 4:
            length = int.from_bytes(self.received[:4], "big")
            if len(self.received) < 4 + length:
                return
            assert length <= 16 << 20, f"a record of {length} bytes"
            fields = records.decode(self.received[4 : 4 + length])
            self.received = self.received[4 + length :]
            self._record(cell, fields)

    def _record(self, cell, fields):
        tags = dict(fields)
        if records.STARTED in tags:
            self.started = True
        elif records.OUTCOME in tags:
            assert all(len(value) == 8 for value in tags.values()), "numbers have 8 bytes"
            cell.exit = int.from_bytes(tags[records.EXIT_CODE], "big")
        elif records.ERROR_NAME in tags:
            assert cell.error is None, "two errors in one execution"
            cell.error = tuple(
                tags[tag].decode() for tag in (records.ERROR_NAME, records.ERROR_VALUE, records.ERROR_TRACEBACK)
            )
        else:
            assert fields[0][0] == records.MAIN_RESULT
            types = [value.decode() for tag, value in fields if tag == records.MIME_TYPE]
            contents = [value.decode() for tag, value in fields if tag == records.MIME_CONTENT]
            assert len(types) == len(contents) and "text/plain" in types
            main = int.from_bytes(fields[0][1], "big") == 1
            cell.results.append((main, dict(zip(types, contents))))
