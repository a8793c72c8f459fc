"""A process that called preload() and forks: what the jail's zygote does."""

import agent
from agent import Kernel
from python_checks import same

NEEDS = "python"

# As a zygote: imports the kernel, preloads, forks; the child serves on the socket.
ZYGOTE = f"""
import os, random, socket, sys, threading, uuid
sys.path.insert(0, {agent.KERNELS!r})
import python
python.preload()
assert threading.active_count() == 1 and len(os.listdir('/proc/self/task')) == 1, 'threads'
random.seed(1)
connection = socket.socket(fileno=3)
pid = os.fork()
if pid == 0:
    python.serve_forked(connection)
connection.close()
os.waitpid(pid, 0)
"""


def fork():
    return Kernel([agent.PYTHON[0], "-c", ZYGOTE])


def check_a_forked_kernel_serves():
    with fork() as kernel:
        same(kernel.run("__name__").value, "'__main__'")
        same(kernel.run("import sys\n[p for p in sys.path if 'kernels' in p]").value, "[]")
        cell = kernel.run("def f():\n    raise ValueError\nf()")
        assert "python.py" not in cell.error[2], cell
        cell = kernel.run("try:\n    import numpy\nexcept ImportError:\n    numpy = None\nnumpy is None or int(numpy.ones((200, 200)).dot(numpy.ones((200, 200)))[0, 0])")
        assert cell.value in ("True", "200"), cell


def check_each_fork_has_its_own_randomness():
    code = (
        "import random, uuid, os\n"
        "try:\n    import numpy\n    n = numpy.random.rand()\nexcept ImportError:\n    n = os.urandom(8).hex()\n"
        "print(random.random(), uuid.uuid1(), n)"
    )
    seen = set()
    for _ in range(3):
        with fork() as kernel:
            seen.update(kernel.run(code).out.split())
    same(len(seen), 9, seen)
