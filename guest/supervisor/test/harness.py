"""A supervisor under test, and sandboxes of it: requests, events, and the agents' connections. No threads."""

import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../agent/test"))
import host  # noqa: E402

PROGRAM = os.path.join(HERE, "../build/glovebox-supervisor")
AGENT = os.path.join(HERE, "../../agent/build/glovebox-agent")
GREETING = b"greeting"
MIB = 1 << 20


def escape(value):
    return str(value).replace("%", "%25").replace("\t", "%09").replace("\n", "%0a")


class Guest(host.Agent):
    """The agent of a sandbox, as the server sees it."""

    def __init__(self, connection):
        self.socket = connection
        self.socket.setblocking(False)
        self.buffer = bytearray()
        self.out = bytearray()
        self.parsing = False
        self.channels = {}
        self.last = 0
        self.pongs = []
        self.goodbye = None
        self.eof = False
        self.send(host.frame(host.WELCOME, 0, 0, host.fields([("VERSION", 1)])))

    def python(self, code, **items):
        return self.open(host.PROCESS, LANGUAGE="python", CODE=code.encode(), **items).wait()


class Supervisor:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="supervisor-")
        # The cleaning-up of a later one of this name goes by the number of a process that is gone: ours.
        self.instance = f"suite-{os.getpid()}"
        self.path = self.directory + "/agents.sock"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1024)
        self.process = subprocess.Popen(
            [PROGRAM, "--directory", self.directory, "--agent", AGENT, "--instance", self.instance],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        self.buffer = b""
        self.events = []
        self.count = 0
        ready = self.event(lambda event: event[0] in ("READY", "UNABLE"), 10)
        assert ready[0] == "READY", ready

    def send(self, *words):
        self.process.stdin.write("\t".join(words).encode() + b"\n")
        self.process.stdin.flush()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, seconds):
        if not select.select([self.process.stdout], [], [], max(0, seconds))[0]:
            return True
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        self.events += [line.decode().split("\t") for line in lines]
        return bool(data)

    def event(self, test, seconds=10):
        """Takes the first event that passes the test."""
        end = time.monotonic() + seconds
        while True:
            for event in self.events:
                if test(event):
                    self.events.remove(event)
                    return event
            left = end - time.monotonic()
            assert left > 0, ("no such event", self.events[-5:])
            assert self.read(left), ("the supervisor is gone", self.events[-5:])

    def of(self, sandbox, *verbs, seconds=10):
        return self.event(lambda event: event[1] == sandbox and event[0] in verbs, seconds)

    def name(self):
        self.count += 1
        return f"sb-{self.count}"

    def request(self, sandbox, kind, template, *pairs, **fields):
        self.send("START", sandbox, f"kind={kind}", f"template={template}", *pairs,
                  *(f"{key}={escape(value)}" for key, value in fields.items()))

    def zygote(self, image, sandbox=None):
        sandbox = sandbox or f"zygote-{self.name()}"
        self.request(sandbox, "zygote", image)
        event = self.of(sandbox, "STARTED", "FAILED", seconds=30)
        assert event[0] == "STARTED", event
        return sandbox, int(event[2])

    def ask_for_jail(self, template, sandbox, **fields):
        fields = {"memory": 512 * MIB, "pids": 256, "cpu": 1000, "disk": 256 * MIB, **fields}
        self.request(sandbox, "jail", template, socket=self.path, greeting=GREETING.hex(), **fields)

    def jail(self, template, **fields):
        """Starts one and waits for it. Its name, its agent, and the event."""
        sandbox = self.name()
        self.ask_for_jail(template, sandbox, **fields)
        return sandbox, self.accept(), self.of(sandbox, "STARTED", "FAILED")

    def accept(self, seconds=10):
        assert select.select([self.listener], [], [], seconds)[0], ("no agent came", self.read(0), self.events)
        connection = self.listener.accept()[0]
        connection.settimeout(seconds)
        greeting = b""
        while len(greeting) < len(GREETING):
            part = connection.recv(len(GREETING) - len(greeting))
            assert part, ("the connection ended before the greeting", self.read(0.1), self.events)
            greeting += part
        assert greeting == GREETING, greeting
        return Guest(connection)

    def kill(self, sandbox):
        self.send("KILL", sandbox)
        return self.of(sandbox, "ENDED")

    def close(self):
        """Ends it as the server's end does; says how."""
        if self.process.poll() is None:
            self.process.stdin.close()
        status = self.process.wait(10)
        self.process.stdout.close()
        self.listener.close()
        shutil.rmtree(self.directory)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def image():
    """The template to test with."""
    named = os.environ.get("GLOVEBOX_TEST_IMAGE")
    if named:
        return named
    templates = os.path.join(HERE, "../../../build/test-home/templates")
    try:
        with open(templates + "/names/code") as file:
            return os.path.realpath(f"{templates}/images/{file.read().strip()}.erofs")
    except OSError:
        return None
