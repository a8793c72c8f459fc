"""The Python kernel, with nothing but the standard library."""

import time

from agent import PYTHON, Kernel

NEEDS = "python"


def same(actual, expected, cell=None):
    assert actual == expected, f"{actual!r} is not {expected!r} in {cell}"


def check_state_and_last_value():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("x = 41\ndef f():\n    return x + 1")
        same((cell.results, cell.exit), ([], 0))
        same(kernel.run("f()").value, "42")
        same(kernel.run("_ + 1").value, "43")
        same(kernel.run("None").results, [])
        same(kernel.run("").exit, 0)
        same(kernel.run("__name__").value, "'__main__'")


def check_streams_and_their_order():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import sys, os\nprint('a')\nprint('ö', file=sys.stderr)\nos.system('echo child')")
        same((cell.out, cell.err), ("a\nchild\n", "ö\n"), cell)


def check_large_output_is_whole():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import sys\nprint('x' * 5_000_000)\nsys.stdout.buffer.write(bytes(range(256)));")
        same(len(cell.stdout), 5_000_001 + 256)
        same(cell.stdout[-256:], bytes(range(256)))


def check_errors_are_clean():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("def inner():\n    raise ValueError('bad value')\ninner()")
        name, value, text = cell.error
        same((name, value, cell.exit), ("ValueError", "bad value", 1))
        assert "inner()" in text and "<cell 1>" in text and "python.py" not in text, text
        same(cell.err, "")
        name, _, text = kernel.run("x = = 1").error
        assert name == "SyntaxError" and "x = = 1" in text and "python.py" not in text, text
        _, _, text = kernel.run("async def g():\n    1/0\nawait g()").error
        assert "asyncio" not in text and "python.py" not in text and "ZeroDivisionError" in text, text
        name, value, _ = kernel.run("class E(Exception):\n    def __str__(self): raise OSError\nraise E").error
        same((name, value), ("E", "<exception str() failed>"))
        same(kernel.run("1 + 1").value, "2")


def check_what_was_shown_before_an_error_stays():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("display(1)\nprint('p')\n1/0")
        same((cell.out, len(cell.results), cell.error[0]), ("p\n", 1, "ZeroDivisionError"))


def check_top_level_await():
    with Kernel(PYTHON) as kernel:
        same(kernel.run("import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5").exit, 0)
        same(kernel.run("await f()").value, "5")
        same(kernel.run("y = await f()\nasync with asyncio.Lock():\n    y += 1\ny").value, "6")
        same(kernel.run("asyncio.get_event_loop().is_running()").value, "False")
        same(kernel.run("asyncio.run(f())").value, "5")


def check_representations():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run(
            "class T:\n"
            "    def _repr_html_(self): return '<b>x</b>'\n"
            "    def _repr_png_(self): return b'png'\n"
            "    def _repr_json_(self): return {'a': float('nan')}\n"
            "    def _repr_svg_(self): raise ValueError\n"
            "    def __repr__(self): return 'T'\n"
            "display(T(), 2)\nT()"
        )
        same([main for main, _ in cell.results], [False, False, True])
        same(
            cell.results[2][1],
            {"text/plain": "T", "text/html": "<b>x</b>", "image/png": "cG5n", "application/json": '{"a": null}'},
        )
        cell = kernel.run(
            "class M:\n"
            "    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/latex': '$x$'}, {}\n"
            "M()"
        )
        same(cell.results[0][1]["text/latex"], "$x$")
        assert "text/plain" in cell.results[0][1]
        cell = kernel.run("display({'application/x-a': {'b': 1}, 'text/plain': 'p'}, raw=True)")
        same(cell.results[0][1], {"application/x-a": '{"b": 1}', "text/plain": "p"})


def check_bounds_of_results():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run(
            "class B:\n    def _repr_png_(self): return bytes(9_000_000)\n    def __repr__(self): return 'r' * 2_000_000\nB()"
        )
        (_, data), = cell.results
        same(list(data), ["text/plain"])
        assert len(data["text/plain"]) < 1_100_000 and "cut by Glovebox" in data["text/plain"]
        assert "image/png (12000000 bytes)" in cell.err, cell.err
        _, value, text = kernel.run("raise ValueError('v' * 3_000_000)").error
        assert len(value) < 256 * 1024 and len(text) < 256 * 1024


def check_environment_of_one_execution():
    with Kernel(PYTHON, env={"KEPT": "old"}) as kernel:
        code = "import os\n(os.environ.get('KEPT'), os.environ.get('NEW'))"
        same(kernel.run(code, env={"KEPT": "new", "NEW": "a=b"}).value, "('new', 'a=b')")
        same(kernel.run(code).value, "('old', None)")
        kernel.run("1/0", env={"KEPT": "other"})
        same(kernel.run(code).value, "('old', None)")


def check_input_and_exit():
    with Kernel(PYTHON) as kernel:
        name, value, _ = kernel.run("input('name? ')").error
        assert name == "EOFError" and "no standard input" in value, value
        same(kernel.run("import sys\nsys.stdin.read()").value, "''")
        same(kernel.run("import sys\nsys.exit(3)").error[:2], ("SystemExit", "3"))
        same(kernel.run("exit()").error[0], "SystemExit")
        same(kernel.run("1").value, "1")


def check_interrupt():
    with Kernel(PYTHON) as kernel:
        for body in ("while True: pass", "import time; time.sleep(60)", "import asyncio; await asyncio.sleep(60)"):
            cell = kernel.run(f"k = 7\nprint('ready')\n{body}", interrupt_on="ready")
            same((cell.error[0], cell.exit), ("KeyboardInterrupt", 1), cell)
            assert "python.py" not in cell.error[2] and cell.seconds < 5, cell
            same(kernel.run("k").value, "7")


def check_interrupts_hit_the_right_cell():
    with Kernel(PYTHON) as kernel:
        for _ in range(20):
            kernel.interrupt()  # idle: dropped
        time.sleep(0.1)
        same(kernel.run("1").value, "1")
        for _ in range(20):
            kernel.send("while True: pass")
            kernel.interrupt()
            same(kernel.finish(seconds=5).error[0], "KeyboardInterrupt")
        same(kernel.run("1").value, "1")


def check_code_that_meddles():
    with Kernel(PYTHON) as kernel:
        kernel.run("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)")
        same(kernel.run("print('ready')\nwhile True: pass", interrupt_on="ready").error[0], "KeyboardInterrupt")
        kernel.run("import sys\nsys.stdout.close()")
        same(kernel.run("print('back')").out, "back\n")
        same(kernel.run("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\npid > 0").value, "True")
        same(kernel.run("1").value, "1")


def check_children_do_not_get_the_socket():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import subprocess\nsubprocess.run('ls /proc/self/fd | grep -c ^3$', shell=True).returncode")
        # ls itself may open 3 for the directory: what matters is that it is no socket.
        cell = kernel.run(
            "import subprocess, sys\n"
            "subprocess.run([sys.executable, '-c', 'import os; print([os.readlink(f\"/proc/self/fd/{f}\") for f in os.listdir(\"/proc/self/fd\") if f == \"3\" and os.path.exists(\"/proc/self/fd/3\")])'])\n"
        )
        assert "socket" not in cell.out, cell


def check_path_and_directory():
    with Kernel(PYTHON, directory="/tmp") as kernel:
        same(kernel.run("import os, sys\n(os.getcwd(), sys.path[0], sys.argv)").value, "('/tmp', '', [''])")
        same(kernel.run("[p for p in sys.path if 'kernels' in p]").value, "[]")
        kernel.run("os.chdir('/')")
        same(kernel.run("os.getcwd()").value, "'/'")


def check_memory_error_is_survived():
    with Kernel(PYTHON) as kernel:
        kernel.run("import resource\nresource.setrlimit(resource.RLIMIT_AS, (600 << 20, -1))")
        cell = kernel.run("x = []\nwhile True:\n    x.append(bytearray(1 << 20))")
        same(cell.error[0], "MemoryError", cell)
        same(kernel.run("del x\n1 + 1").value, "2")


def check_pickle_and_processes():
    with Kernel(PYTHON) as kernel:
        kernel.run("def double(n):\n    return 2 * n")
        same(kernel.run("import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as p:\n"
                        "    r = p.map(double, [1, 2])\nr").value, "[2, 4]")
        same(kernel.run("import pickle\npickle.loads(pickle.dumps(double))(4)").value, "8")


def check_long_programs():
    with Kernel(PYTHON) as kernel:
        same(kernel.run("s = '" + "x" * 300_000 + "ö'\nlen(s)").value, "300001")


def check_magics_of_notebooks():
    with Kernel(PYTHON, directory="/tmp") as kernel:
        code = "%matplotlib inline\nx = 2\nfor i in range(x):\n    !echo from $((1 + 1)) shell\nprint('after')"
        cell = kernel.run(code)
        same((cell.out, cell.exit), ("from 2 shell\nfrom 2 shell\nafter\n", 0), cell)
        same(kernel.run("%%bash\nfor i in 1 2; do echo $i; done").out, "1\n2\n")
        kernel.run("%cd /")
        same(kernel.run("import os\nos.getcwd()").value, "'/'")
        same(kernel.run("%no_such_magic").error[0], "SyntaxError")
        same(kernel.run("s = '''\n!echo text\n'''\ns").value, "'\\n!echo text\\n'")


def check_packages_that_come_later():
    with Kernel(PYTHON, env={"HOME": "/tmp/glovebox-kernel-home"}) as kernel:
        if kernel.run("import site\nsite.ENABLE_USER_SITE").value != "True":
            return  # an interpreter of a virtual environment has no such place
        kernel.run("import os, shutil\nplace = site.getusersitepackages()\nshutil.rmtree(place, True)")
        kernel.run("try:\n    import came_later\nexcept ImportError:\n    pass")
        kernel.run("os.makedirs(place)\nwith open(place + '/came_later.py', 'w') as f:\n    f.write('v = 5')")
        same(kernel.run("import came_later\ncame_later.v").value, "5")
        kernel.run("shutil.rmtree(os.environ['HOME'])")


def check_interrupts_do_not_cut_records():
    big = "b = {'text/plain': 'p', 'text/html': 'h' * 4_000_000}\nprint('ready')\n"
    with Kernel(PYTHON) as kernel:
        for _ in range(5):
            cell = kernel.run(big + "while True: display(b, raw=True)", interrupt_on="ready", seconds=10)
            same(cell.error[0], "KeyboardInterrupt")
            same(kernel.run("1").value, "1")


def check_what_notebooks_import_from_ipython():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run(
            "import sys\nassert 'IPython' not in sys.modules\n"
            "from IPython.display import display, HTML, Image, JSON, Markdown, Math, clear_output\n"
            "display('one'); display(HTML('<b>b</b>')); display(JSON({'a': 1})); display(Math('x'))\n"
            "Image(b'\\xff\\xd8\\xff rest')"
        )
        same(cell.error, None, cell)
        shown = [data for _, data in cell.results]
        same(shown[0]["text/plain"], "'one'")
        same(shown[1]["text/html"], "<b>b</b>")
        same(shown[2]["application/json"].replace(" ", ""), '{"a":1}')
        same(shown[3]["text/latex"], "$\\displaystyle x$")
        same(shown[4]["image/jpeg"], "/9j/IHJlc3Q=")
        same(kernel.run("from IPython import get_ipython\nget_ipython() is None").value, "True")
        same(kernel.run("import IPython.no_such").error[0], "ModuleNotFoundError")


def check_threads_may_display():
    with Kernel(PYTHON) as kernel:
        code = "import threading\nts = [threading.Thread(target=display, args=('x' * 300_000,)) for _ in range(8)]\n"
        cell = kernel.run(code + "for t in ts: t.start()\nfor t in ts: t.join()")
        same((len(cell.results), cell.exit), (8, 0))
