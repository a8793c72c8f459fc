"""The host's side of the agent protocol, for tests: frames and fields by hand, one connection, no threads."""

import os
import select
import socket
import struct
import subprocess
import time

HELLO, WELCOME, OPEN, DATA, END, CREDIT, CLOSE, CONTROL, CANCEL, PING, PONG, GOODBYE, SHARED = range(1, 14)
(PROCESS, STAT, LIST, READ, WRITE, MAKE_DIRECTORY, MOVE, REMOVE, WATCH, CONNECT, CONTEXT_OPEN, EXECUTE, CONTEXT_CLOSE,
 METRICS, CONFIGURE, FREEZE, THAW, SPAWN) = range(1, 19)
STDIN, STDOUT, STDERR, RECORDS, CONTENT = range(5)
(OK, INVALID, NOT_FOUND, ALREADY_EXISTS, NOT_A_DIRECTORY, IS_A_DIRECTORY, NOT_EMPTY, PERMISSION, NO_SPACE, TOO_MANY,
 UNSUPPORTED, CANCELLED, FAILED) = range(13)
EXITED, TIMED_OUT, OUT_OF_MEMORY, KILLED_BY_POLICY, KILLED, LOST = range(1, 7)

# Of shared memory, in each direction.
LANE = 4 << 20

TAGS = dict(
    VERSION=1, STATUS=10, MESSAGE=11, ARGUMENT=20, ENVIRONMENT=21, DIRECTORY=22, USER=23, COLUMNS=24, ROWS=25,
    LANGUAGE=26, CODE=27, SIGNAL=28, INTERRUPT=29, STDIN_OPEN=30, FILE_NAME=31, WALL_MILLIS=40, CPU_MILLIS=41,
    MEMORY_BYTES=42, OUTPUT_BYTES=43, DISK_BYTES=44, FILE_COUNT=45, OUTCOME=50, EXIT_CODE=51, RULE=52, REASON=53,
    USED_WALL_MICROS=54, USED_CPU_MICROS=55, USED_MEMORY_BYTES=56, USED_OUTPUT_BYTES=57, PATH=60, TARGET_PATH=61,
    FILE_TYPE=62, FILE_SIZE=63, FILE_MODE=64, FILE_MODIFIED=65, LINK_TARGET=66, RECURSIVE=67, OFFSET=68, LENGTH=69,
    DEPTH=70, PORT=71, CONTEXT=80, MAIN_RESULT=81, MIME_TYPE=82, MIME_CONTENT=83, ERROR_NAME=84, ERROR_VALUE=85,
    ERROR_TRACEBACK=86, SANDBOX=92, ENTROPY=93, CLOCK_MICROS=94, POOLED=95, PHASE_MICROS=96, MORE=97,
    CONTEXT_LOST=98, STARTED=99, PROCESS_ID=100, QUEUED_MICROS=101, RUNNING=103, QUEUED=104, USED_DISK_BYTES=106,
    USED_FILES=107, FILE_OWNER=108, FILE_GROUP=109, XATTRS=110, XATTR_NAME=111, XATTR_VALUE=112, WATCH_EVENT=113,
    PEAK_MEMORY_BYTES=114, SHARED=118)
NAMES = {number: name for name, number in TAGS.items()}
NUMBERS = {'VERSION', 'STATUS', 'COLUMNS', 'ROWS', 'SIGNAL', 'INTERRUPT', 'STDIN_OPEN', 'WALL_MILLIS', 'CPU_MILLIS',
           'MEMORY_BYTES', 'OUTPUT_BYTES', 'DISK_BYTES', 'FILE_COUNT', 'OUTCOME', 'EXIT_CODE', 'USED_WALL_MICROS',
           'USED_CPU_MICROS', 'USED_MEMORY_BYTES', 'USED_OUTPUT_BYTES', 'FILE_TYPE', 'FILE_SIZE', 'FILE_MODE',
           'FILE_MODIFIED', 'RECURSIVE', 'OFFSET', 'LENGTH', 'DEPTH', 'PORT', 'MAIN_RESULT', 'CLOCK_MICROS', 'POOLED',
           'PHASE_MICROS', 'MORE', 'CONTEXT_LOST', 'STARTED', 'PROCESS_ID', 'QUEUED_MICROS', 'RUNNING', 'QUEUED',
           'USED_DISK_BYTES', 'USED_FILES', 'XATTRS', 'WATCH_EVENT', 'PEAK_MEMORY_BYTES', 'SHARED'}
BYTES = {'CODE', 'XATTR_VALUE', 'ENTROPY', 'MIME_CONTENT'}


def fields(items):
    """Encodes (name, value) pairs."""
    out = bytearray()
    for name, value in items:
        if isinstance(value, bool):
            value = int(value)
        data = struct.pack('>Q', value) if isinstance(value, int) else value.encode() if isinstance(value, str) else value
        out += struct.pack('>HI', TAGS[name], len(data)) + data
    return bytes(out)


def decode(data):
    items = []
    at = 0
    while at < len(data):
        tag, length = struct.unpack_from('>HI', data, at)
        value = data[at + 6:at + 6 + length]
        assert len(value) == length, 'field is cut'
        at += 6 + length
        name = NAMES[tag]
        if name in NUMBERS:
            value = struct.unpack('>Q', value)[0]
        elif name not in BYTES:
            value = value.decode()
        items.append((name, value))
    return items


def frame(kind, stream, channel, payload=b''):
    return struct.pack('>IBBHI', len(payload), kind, 0, stream, channel) + payload


class Closed(Exception):
    pass


class Channel:
    """One request: what came of it so far."""

    def __init__(self, host, number):
        self.host = host
        self.number = number
        self.data = {stream: bytearray() for stream in range(5)}
        self.ended = set()
        self.close = None
        self.items = None
        self.credit = {STDIN: 256 * 1024, CONTENT: 256 * 1024, RECORDS: 256 * 1024}
        self.grants = True
        self.keeps = True
        self.received = 0
        self.shared = []
        self.closed_at = None

    def records(self):
        raw, out, at = bytes(self.data[RECORDS]), [], 0
        while at + 4 <= len(raw):
            length = struct.unpack_from('>I', raw, at)[0]
            if at + 4 + length > len(raw):
                break
            out.append(decode(raw[at + 4:at + 4 + length]))
            at += 4 + length
        return out

    def wait(self, seconds=20):
        self.host.pump(lambda: self.close is not None, seconds)
        return self

    def until(self, test, seconds=10):
        self.host.pump(lambda: self.close is not None or test(), seconds)
        assert test(), ('closed instead', self.items, bytes(self.data[1][-200:]), bytes(self.data[2][-500:]))
        return self

    def started(self, seconds=10):
        return self.until(lambda: any(('STARTED', 1) in record for record in self.records()), seconds)

    @property
    def out(self):
        return bytes(self.data[STDOUT])

    @property
    def err(self):
        return bytes(self.data[STDERR])

    @property
    def content(self):
        return bytes(self.data[CONTENT])

    def __getitem__(self, name):
        return self.close[name]

    def get(self, name):
        return self.close.get(name)

    def send(self, stream, data):
        for at in range(0, len(data), 65536):
            piece = data[at:at + 65536]
            self.host.pump(lambda: self.credit[stream] >= len(piece) or self.close is not None, 20)
            if self.close is not None:
                return
            self.credit[stream] -= len(piece)
            self.host.send(frame(DATA, stream, self.number, piece))

    def share(self, data, at):
        """Puts content into the lane, from `at` on, and says so; returns where the next may lie."""
        while data and self.close is None:
            self.host.pump(lambda: self.credit[CONTENT] > 0 or self.close is not None, 20)
            piece = data[:min(LANE // 4, LANE - at, self.credit[CONTENT])]
            self.host.lanes[at:at + len(piece)] = piece
            self.credit[CONTENT] -= len(piece)
            self.host.send(frame(SHARED, CONTENT, self.number, struct.pack('>II', at, len(piece))))
            at = (at + len(piece)) % LANE
            data = data[len(piece):]
        return at

    def end(self, stream):
        self.host.send(frame(END, stream, self.number))

    def cancel(self):
        self.host.send(frame(CANCEL, 0, self.number))

    def control(self, **items):
        self.host.send(frame(CONTROL, 0, self.number, fields(items.items())))

    def grant(self, stream, count):
        self.host.send(frame(CREDIT, stream, self.number, struct.pack('>I', count)))


class Agent:
    """An agent that was started for a test."""

    def __init__(self, program, options=(), wrapper=(), pass_fds=(), welcome=True, lanes=None):
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen([*wrapper, program, *options], stdin=theirs, stdout=theirs,
                                        pass_fds=pass_fds)
        theirs.close()
        self.socket.setblocking(False)
        self.buffer = bytearray()
        self.out = bytearray()
        self.parsing = False
        self.channels = {}
        self.lanes = lanes
        self.last = 0
        self.pongs = []
        self.goodbye = None
        self.eof = False
        if welcome:
            self.send(frame(WELCOME, 0, 0, fields([('VERSION', 1)])))

    def send(self, data):
        """Sends all of it; while a frame is being looked at, as much as goes, and the rest later."""
        self.out += data
        self.flush()
        while self.out and not self.parsing:
            self.step(0.05)

    def flush(self):
        while self.out:
            try:
                del self.out[:self.socket.send(self.out)]
            except BlockingIOError:
                return

    def open(self, kind, *pairs, more=False, **items):
        self.last += 1
        channel = Channel(self, self.last)
        self.channels[self.last] = channel
        payload = fields([*pairs, *items.items()])
        if more or len(payload) > 60000:
            self.send(frame(OPEN, kind, self.last, fields([('MORE', 1)])))
            for at in range(0, len(pairs), 1):
                name, value = pairs[at]
                pieces = [value[i:i + 60000] for i in range(0, len(value), 60000)] if name == 'CODE' else [value]
                for piece in pieces:
                    record = fields([(name, piece)])
                    channel.send(RECORDS, struct.pack('>I', len(record)) + record)
            record = fields(items.items())
            channel.send(RECORDS, struct.pack('>I', len(record)) + record)
            channel.end(RECORDS)
        else:
            self.send(frame(OPEN, kind, self.last, payload))
        return channel

    def run(self, *argv, wait=True, **items):
        channel = self.open(PROCESS, *[('ARGUMENT', arg) for arg in argv], **items)
        return channel.wait() if wait else channel

    def shell(self, text, wait=True, **items):
        return self.run('/bin/sh', '-c', text, wait=wait, **items)

    def call(self, kind, *pairs, **items):
        return self.open(kind, *pairs, **items).wait()

    def write(self, path, content, **items):
        channel = self.open(WRITE, PATH=path, **items)
        channel.send(CONTENT, content)
        channel.end(CONTENT)
        return channel.wait()

    def step(self, seconds):
        ready = select.select([self.socket], [self.socket] if self.out else [], [], seconds)
        if ready[1]:
            self.flush()
        if ready[0]:
            try:
                data = self.socket.recv(1 << 20)
            except ConnectionResetError:
                data = b''
            if not data:
                self.eof = True
                if self.out:
                    raise Closed(self.goodbye)
                return
            self.buffer += data
            self.parsing = True
            try:
                self.parse()
            finally:
                self.parsing = False

    def parse(self):
        at = 0
        while len(self.buffer) - at >= 12:
            length, kind, flags, stream, number = struct.unpack_from('>IBBHI', self.buffer, at)
            assert length <= 65536 and flags == 0
            if len(self.buffer) - at < 12 + length:
                break
            payload = bytes(self.buffer[at + 12:at + 12 + length])
            at += 12 + length
            self.frame(kind, stream, number, payload)
        del self.buffer[:at]

    def frame(self, kind, stream, number, payload):
        if kind == PONG:
            self.pongs.append(payload)
            return
        if kind == GOODBYE:
            self.goodbye = dict(decode(payload))['MESSAGE']
            return
        channel = self.channels[number]
        assert channel.close is None, 'a frame after CLOSE'
        if kind == DATA:
            assert 1 <= len(payload) <= 65536
            channel.received += len(payload)
            if channel.keeps:
                channel.data[stream] += payload
            if channel.grants:
                channel.grant(stream, len(payload))
        elif kind == SHARED:
            at, length = struct.unpack('>II', payload)
            assert 1 <= length and at + length <= LANE, (at, length)
            channel.shared.append((at, length))
            channel.received += length
            channel.data[stream] += self.lanes[LANE + at:LANE + at + length]
            if channel.grants:
                channel.grant(stream, length)
        elif kind == END:
            channel.ended.add(stream)
        elif kind == CREDIT:
            channel.credit[stream] += struct.unpack('>I', payload)[0]
        elif kind == CLOSE:
            channel.items = decode(payload)
            channel.close = dict(channel.items)
            channel.closed_at = time.monotonic()
        else:
            raise AssertionError(f'frame {kind}')

    def pump(self, test, seconds):
        end = time.monotonic() + seconds
        while not test():
            left = end - time.monotonic()
            assert left > 0, f'nothing for {seconds} s'
            if self.eof:
                raise Closed(self.goodbye)
            self.step(min(left, 0.5))

    def idle(self, seconds):
        """Takes what comes for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.eof:
            self.step(left)

    def ping(self, payload=b'x'):
        count = len(self.pongs)
        began = time.monotonic()
        self.send(frame(PING, 0, 0, payload))
        self.pump(lambda: len(self.pongs) > count, 5)
        assert self.pongs[-1] == payload
        return time.monotonic() - began

    def finish(self):
        """Ends the connection; returns the exit status."""
        self.socket.close()
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError('the agent did not end with its connection')
