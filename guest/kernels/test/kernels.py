"""Runs every check_* function of the test files and closes with: N passed, N failed, N skipped."""

import importlib
import os
import subprocess
import sys
import time
import traceback

import agent


def works(command):
    try:
        prefix = ["chroot", agent.ROOT] if agent.ROOT else []
        return subprocess.run(prefix + command, capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


def needs():
    """What a test file may need, and why it is not there; None if it is."""
    python, node = agent.PYTHON[0], agent.NODE[0]
    libraries = "import numpy, pandas, matplotlib"
    return {
        "python": None if works([python, "-c", ""]) else f"there is no {python}",
        "libraries": None
        if works([python, "-c", libraries])
        else f"{python} has no numpy, pandas and matplotlib: name one that has by KERNEL_PYTHON",
        "node": None if works([node, "-e", ""]) else f"there is no {node}: install nodejs",
        "typescript": None
        if works([node, "-e", "process.exit(require('module').stripTypeScriptTypes ? 0 : 1)"])
        else f"{node} cannot strip types: it needs 22.13 or newer",
    }


def main(names):
    missing = needs()
    passed = failed = skipped = 0
    for file in ("python_checks", "library_checks", "zygote_checks", "javascript_checks", "typescript_checks"):
        module = importlib.import_module(file)
        for name in [name for name in dir(module) if name.startswith("check_")]:
            if names and not any(part in name for part in names):
                continue
            why = missing[module.NEEDS]
            if why is not None:
                print(f"skipped {file}.{name[6:]}: {why}")
                skipped += 1
                continue
            began = time.monotonic()
            try:
                getattr(module, name)()
                passed += 1
                print(f"ok      {file}.{name[6:]} ({time.monotonic() - began:.2f} s)")
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                failed += 1
                print(f"FAILED  {file}.{name[6:]}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    os.chdir("/tmp")
    sys.exit(main(sys.argv[1:]))
