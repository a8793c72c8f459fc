package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.api.RunResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WasmPythonEscapeIT extends EscapeScenarios {
    WasmPythonEscapeIT(Target target) {
        super(Dialect.WASM_PYTHON, target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/passwd",
                "/etc/hostname",
                "../../../../../../etc/passwd",
                "/proc/self/environ",
                "/proc/self/maps",
                "/sys/kernel/uevent_seqnum",
                "/dev/mem",
                "/root/.ssh/id_rsa",
                "/home/user/../../etc/shadow"
            })
    void hostFilesAreNotThere(String path) {
        refused("open('" + path + "')", List.of("FileNotFoundError", "PermissionError"), path);
    }

    @Test
    void symbolicLinksStayInside() {
        String link = "import os\nos.symlink('%s', 'l')\nprint(open('l').read())";
        refused(link.formatted("/etc/passwd"), List.of("FileNotFoundError", "PermissionError", "OSError"));
        refused(
                link.formatted("../../../../../etc/passwd"),
                List.of("FileNotFoundError", "PermissionError", "OSError"));
        refused(
                "import os\nos.symlink('b', 'a')\nos.symlink('a', 'b')\nopen('a')",
                List.of("OSError"),
                "Symbolic link loop");
    }

    @Test
    void strangeDescriptorsAreNobodys() {
        prints("""
                import os
                opened = []
                for fd in list(range(5, 4096)) + [2**31 - 1]:
                    try:
                        os.fstat(fd)
                        opened.append(fd)
                    except OSError:
                        pass
                print(opened)
                """, "[]\n");
        refused("import os\nos.close(1)\nos.write(1, b'x')", List.of("OSError"), "Bad file descriptor");
    }

    @Test
    void thePreopenedRootCannotBeLeft() {
        prints("""
                import os
                found = []
                for fd in range(3, 8):
                    for path in ('../etc/passwd', '..', '../../root'):
                        try:
                            found.append(sorted(os.listdir(os.open(path, os.O_RDONLY, dir_fd=fd))))
                        except (OSError, NotImplementedError, TypeError):
                            pass
                print([names for names in found if 'proc' in names or 'sys' in names])
                """, "[]\n");
    }

    @Test
    void theLibraryCannotBeChanged() {
        refused("open('/lib/python313.zip', 'wb')", List.of("PermissionError", "OSError"));
        refused("import os\nos.remove('/lib/python313.zip')", List.of("PermissionError", "OSError"));
        prints("import zipfile\nprint(zipfile.ZipFile('/lib/python313.zip').testzip())", "None\n");
    }

    @Test
    void thereAreNoProcessesNoThreadsAndNoSockets() {
        refused("import subprocess\nsubprocess.run(['id'])", List.of("OSError", "ModuleNotFoundError", "ImportError"));
        prints(
                "import os\nprint(hasattr(os, 'fork'), hasattr(os, 'execv'), hasattr(os, 'kill'))",
                "False False False\n");
        refused("import os\nos.system('id')", List.of("AttributeError", "OSError"));
        refused("import threading\nthreading.Thread(target=print).start()", List.of("RuntimeError"), "thread");
        refused("import multiprocessing", List.of("ModuleNotFoundError", "ImportError"));
        refused(
                "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=2)",
                List.of("OSError", "ModuleNotFoundError", "ImportError", "AttributeError"));
        refused(
                "import urllib.request as u\nu.urlopen('http://169.254.169.254/latest/meta-data')",
                List.of("URLError", "OSError", "ModuleNotFoundError", "ImportError", "AttributeError"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"numpy", "ctypes", "cffi", "sqlite3", "requests"})
    void whatIsMissingNamesTheTiersThatHaveIt(String module) {
        refused(
                "import " + module,
                List.of("ModuleNotFoundError", "ImportError"),
                module,
                "wasm tier",
                "gvisor",
                "microvm");
    }

    @Test
    void hugeAllocationsAndNumbersEndAsOutcomes() {
        for (String code : List.of("x = bytearray(2**31 - 1)", "x = 'a' * (2**31 - 100)", "x = [0] * 10**9")) {
            RunResponse answer = run(Asking.of(dialect, code).within(Asking.memory(64)));
            assertThat(answer.outcome().word()).as(code + ": " + answer).isEqualTo("out_of_memory");
        }
        RunResponse power = run(Asking.of(dialect, "x = 10**10**10").within(Asking.wall(500)));
        assertThat(power.outcome().word()).as(power.toString()).isIn("timed_out", "out_of_memory");
        RunResponse regex = run(Asking.of(dialect, "import re\nre.match('(a+)+$', 'a' * 60 + 'b')")
                .within(Asking.wall(500)));
        assertThat(regex.outcome().word()).as(regex.toString()).isEqualTo("timed_out");
    }

    @Test
    void deepRecursionInEveryGuiseEndsAsAnError() {
        for (String code : List.of(
                "import sys\nsys.setrecursionlimit(10**5)\ndef f(): f()\nf()",
                "x = []\nfor _ in range(100000): x = [x]\nrepr(x)",
                "eval('(' * 5000 + ')' * 5000)",
                "import json\njson.loads('[' * 100000)",
                "import pickle\nx = []\nfor _ in range(100000): x = [x]\npickle.dumps(x)")) {
            RunResponse answer = run(code);
            assertThat(answer.outcome().word()).as(code + ": " + answer).isNotIn("backend_lost", "timed_out");
            assertThat(answer.outcome().exitStatus()).as(code + ": " + answer).isNotZero();
        }
    }

    @Test
    void theKernelCannotBeUsedToReachAnotherSandbox() {
        RunResponse answer = run("""
                import sys, gc
                kernel = sys.modules.get('_glovebox_kernel')
                for thing in (kernel, sys.modules.get('_glovebox')):
                    if thing is not None:
                        for name in list(vars(thing)):
                            try: setattr(thing, name, None)
                            except Exception: pass
                print('broken')
                """);
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        prints("print(1+1)", "2\n");
    }
}
