"""The records that agent and kernel exchange (docs/agent-protocol.md): a length, then fields of tag, length, bytes."""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import struct

ARGUMENT, ENVIRONMENT, DIRECTORY, CODE, FILE_NAME = 20, 21, 22, 27, 31
OUTCOME, EXIT_CODE = 50, 51
MAIN_RESULT, MIME_TYPE, MIME_CONTENT = 81, 82, 83
ERROR_NAME, ERROR_VALUE, ERROR_TRACEBACK = 84, 85, 86
STARTED = 99

EXITED = 1  # the only OUTCOME that a kernel can tell: every other one is the agent's to tell


def encode(fields):
    """One record from (tag, value) pairs; a value is a number, a text or bytes."""
    parts = []
    for tag, value in fields:
        if isinstance(value, bool) or isinstance(value, int):
            value = struct.pack(">Q", value)
        elif isinstance(value, str):
            # A lone surrogate has no UTF-8; it is shown as its escape, and the rest of the text survives.
            value = value.encode("utf-8", "backslashreplace")
        parts.append(struct.pack(">HI", tag, len(value)))
        parts.append(value)
    body = b"".join(parts)
    return struct.pack(">I", len(body)) + body


def decode(body):
    """The (tag, bytes) pairs of one record."""
    fields = []
    at = 0
    while at < len(body):
        tag, length = struct.unpack_from(">HI", body, at)
        at += 6
        fields.append((tag, body[at : at + length]))
        at += length
    return fields


def receive(connection):
    """The fields of the next record, or None at the end of the stream."""
    head = _exactly(connection, 4)
    body = None if head is None else _exactly(connection, struct.unpack(">I", head)[0])
    return None if body is None else decode(body)


def _exactly(connection, count):
    parts = []
    while count > 0:
        part = connection.recv(min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
