"""`glovebox exec -t` as a user has it: in a terminal of its own, which changes its size, is typed into and interrupted."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def until(terminal, wanted, seconds=20):
    seen = b""
    end = time.monotonic() + seconds
    while wanted not in seen:
        assert time.monotonic() < end, f"no {wanted!r} in {seen!r}"
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break  # the other end is closed
    assert wanted in seen, f"no {wanted!r} in {seen!r}"
    return seen


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        resize(0, 40, 100)
        os.execvp("./glovebox", ["./glovebox", "exec", "-t", sys.argv[1], "--", "bash", "--norc"])
    until(terminal, b"$ ")
    os.write(terminal, b"stty size; printf '\\033]0;title\\007\\033[31mred\\n'\r")
    seen = until(terminal, b"\x1b[31mred\r\n")
    assert b"40 100\r\n" in seen, seen
    assert b"\x1b]0;" not in seen, "a guest sets no titles"
    resize(terminal, 50, 120)
    end = time.monotonic() + 20
    seen = b""
    while b"50 120" not in seen:
        assert time.monotonic() < end, seen
        os.write(terminal, b"stty size; echo do''ne\r")
        seen = until(terminal, b"done\r\n")
    os.write(terminal, b"sleep 100\r")
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    time.sleep(0.2)
    os.write(terminal, b"exit 7\r")
    while True:
        try:
            if not os.read(terminal, 4096):
                break
        except OSError:
            break
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 7, status
    print("a terminal has its size, keys and end")


if __name__ == "__main__":
    main()
