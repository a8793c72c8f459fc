"""A kernel just large enough to test the agent with: descriptor 3, records of fields, one execution at a time."""

import ast
import os
import signal
import socket
import struct
import sys
import traceback

STREAM = socket.socket(fileno=3)


def field(tag, data):
    data = struct.pack('>Q', data) if isinstance(data, int) else data.encode()
    return struct.pack('>HI', tag, len(data)) + data


def record(*fields):
    body = b''.join(fields)
    STREAM.sendall(struct.pack('>I', len(body)) + body)


def exactly(count):
    data = b''
    while len(data) < count:
        piece = STREAM.recv(count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def raw(data):
    STREAM.sendall(data)


def execute(code, space):
    tree = ast.parse(code, '<cell>')
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, '<cell>', 'exec'), space)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), '<cell>', 'eval'), space)
        if value is not None:
            text = value if isinstance(value, str) else repr(value)
            record(field(81, 1), field(82, 'text/plain'), field(83, text))


def program(code, name):
    status = 0
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        exec(compile(code, name, 'exec'), {'__name__': '__main__', 'record': record, 'field': field})
    except SystemExit as error:
        status = error.code or 0
    except BaseException as error:
        status = 1
        traceback.print_exc()
        record(field(84, type(error).__name__), field(85, str(error)), field(86, traceback.format_exc()))
    sys.stdout.flush()
    sys.stderr.flush()
    record(field(50, 1), field(51, status))
    os._exit(status)


def main():
    space = {'__name__': '__main__', 'record': record, 'field': field, 'raw': raw}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    record(field(99, 1))
    while True:
        body = exactly(struct.unpack('>I', exactly(4))[0])
        at, code, name, before = 0, '', None, dict(os.environ)
        while at < len(body):
            tag, length = struct.unpack_from('>HI', body, at)
            value = body[at + 6:at + 6 + length].decode()
            at += 6 + length
            if tag == 27:
                code += value
            elif tag == 31:
                name = value
            elif tag == 21:
                os.environ.update([value.split('=', 1)])
        if name is not None:
            program(code, name)
        status = 0
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            execute(code, space)
        except BaseException as error:
            status = 1
            record(field(84, type(error).__name__), field(85, str(error)), field(86, traceback.format_exc()))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.environ.clear()
        os.environ.update(before)
        sys.stdout.flush()
        sys.stderr.flush()
        record(field(50, 1), field(51, status))


main()
