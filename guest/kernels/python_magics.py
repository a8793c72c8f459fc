"""What programs for notebooks have beside Python: `!command`, `%pip install x`, `%cd directory`, `%%bash`.

Only a cell that is no Python is looked at, so no valid program changes its meaning.
"""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import os
import re
import subprocess
import sys

SHELL = "__glovebox_shell__"
CHANGE_DIRECTORY = "__glovebox_cd__"

_LINE = re.compile(r"^([ \t]*)([!%])[ \t]*(.*)$")


def translate(source):
    """The cell with its magics as calls of the functions below; None if it has none that are known."""
    if re.match(r"\s*%%(bash|sh)\b", source):
        script = source.lstrip().partition("\n")[2]
        return f"{SHELL}({script!r})"
    lines = []
    found = False
    for line in source.split("\n"):
        match = _LINE.match(line)
        call = _call(*match.groups()[1:]) if match else None
        found = found or call is not None
        lines.append(line if call is None else match.group(1) + call)
    return "\n".join(lines) if found else None


def _call(kind, text):
    if kind == "!":
        return f"{SHELL}({text!r})"
    name, _, rest = text.partition(" ")
    if name == "pip":
        return f"{SHELL}({f'{sys.executable} -m pip {rest}'!r})"
    if name == "cd":
        return f"{CHANGE_DIRECTORY}({rest.strip()!r})"
    # Figures are shown in any case.
    return "pass" if name == "matplotlib" else None


def shell(command):
    """Runs a command as a terminal would: what it prints is the cell's output, and its failure is seen there."""
    sys.stdout.flush()
    sys.stderr.flush()
    program = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    subprocess.run([program, "-c", command], stdin=subprocess.DEVNULL, check=False)


def change_directory(path):
    os.chdir(os.path.expanduser(path or "~"))
