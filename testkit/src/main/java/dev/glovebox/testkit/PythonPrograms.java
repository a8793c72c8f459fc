package dev.glovebox.testkit;

import dev.glovebox.core.Language;

record PythonPrograms() implements GuestPrograms {
    private static final String SERVE_PORTS = """
            import socket, struct, threading
            def hear(s):
                n = 0
                while chunk := s.recv(65536):
                    n += len(chunk)
                return n
            def echo(s):
                while chunk := s.recv(65536):
                    s.sendall(chunk)
            def speaks_first(s):
                s.sendall(b'first')
                s.shutdown(socket.SHUT_WR)
                print('heard', hear(s), flush=True)
            def listens_first(s):
                s.sendall(b'heard %d' % hear(s))
            def leaves(s):
                s.sendall(b'bye')
            def breaks(s):
                s.recv(1)
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            def serve(s, how):
                with s:
                    try:
                        how(s)
                    except OSError:
                        pass
            def listen(l, how):
                while True:
                    s, _ = l.accept()
                    threading.Thread(target=serve, args=(s, how), daemon=True).start()
            hows = [echo, speaks_first, listens_first, leaves, breaks]
            ears = [socket.create_server(('127.0.0.1', 7001 + i), backlog=128) for i in range(5)]
            ts = [threading.Thread(target=listen, args=a) for a in zip(ears, hows)]
            for t in ts:
                t.start()
            print('ready', flush=True)
            for t in ts:
                t.join()
            """;

    @Override
    public Language language() {
        return Language.PYTHON;
    }

    @Override
    public String fileName() {
        return "main.py";
    }

    @Override
    public String code(GuestTask task) {
        return switch (task) {
            case HELLO -> "print('hello, wörld')";
            case BOTH_STREAMS -> "import sys\nprint('out')\nprint('err', file=sys.stderr)";
            case EXIT_7 -> "import sys\nsys.exit(7)";
            case RAISE -> "def inner():\n    raise ValueError('bad value')\ninner()";
            case ARGUMENTS -> "import json, sys\nprint(json.dumps(sys.argv[1:]))";
            case ENVIRONMENT -> "import json, os\nprint(json.dumps(dict(os.environ)))";
            case DIRECTORY -> "import os\nprint(os.getcwd())";
            case CAT ->
                "import sys\nwhile chunk := sys.stdin.buffer.read1(65536):\n"
                        + "    sys.stdout.buffer.write(chunk)\n    sys.stdout.buffer.flush()";
            case ANSWER_LINES -> "import sys\nfor line in sys.stdin:\n    print('got ' + line, end='', flush=True)";
            case READY_AND_WAIT -> "import time\nprint('ready', flush=True)\ntime.sleep(3600)";
            case READY_AND_SPIN -> "print('ready', flush=True)\nwhile True:\n    pass";
            case SPIN -> "while True:\n    pass";
            case SPIN_STUBBORNLY -> """
                print('ready', flush=True)
                while True:
                    try:
                        while True:
                            pass
                    except BaseException:
                        pass
                """;
            case HOG -> "x = []\nwhile True:\n    x.append(bytearray(1 << 20))";
            case FLOOD -> "while True:\n    print('x' * 1000)";
            case PRINT_MEBIBYTE -> "print('x' * (1 << 20), end='')";
            case PRINT_ALL_BYTES -> "import sys\nsys.stdout.buffer.write(bytes(range(256)))";
            case RECURSE -> "def f(n):\n    return f(n + 1) + 1\nf(0)";
            case WRITE_FILE -> "with open('/home/user/out.txt', 'w') as f:\n    f.write('from inside')";
            case READ_FILE -> "print(open('/home/user/in.txt').read(), end='')";
            case FILL_DISK -> """
                try:
                    for i in range(100000):
                        with open(f'/home/user/fill{i}', 'wb') as f:
                            f.write(b'x' * (1 << 18))
                except OSError:
                    print('full')
                """;
            case MAKE_LINK -> "import os\nos.symlink('in.txt', '/home/user/link')";
            case POISON -> """
                import builtins, sys, json, os
                builtins.poisoned = True
                sys.modules['poisoned'] = sys
                json.poisoned = True
                os.environ['POISONED'] = 'yes'
                os.path.poisoned = True
                builtins.len = lambda _: 4711
                sys.path.insert(0, '/poisoned')
                sys.setrecursionlimit(77)
                print('done')
                """;
            case CHECK_POISON -> """
                import builtins, sys, json, os
                clean = (not hasattr(builtins, 'poisoned') and 'poisoned' not in sys.modules
                         and not hasattr(json, 'poisoned') and 'POISONED' not in os.environ
                         and not hasattr(os.path, 'poisoned') and len('abc') == 3
                         and '/poisoned' not in sys.path and sys.getrecursionlimit() != 77)
                print('clean' if clean else 'poisoned')
                """;
            case CONNECT ->
                "import socket\nsocket.create_connection(('1.1.1.1', 80), timeout=2).close()\nprint('connected')";
            case IMPORT_NATIVE -> "import numpy\nprint(int(numpy.arange(10).sum()))";
            case SERVE_PORTS -> SERVE_PORTS;
            case SET_X -> "x = 41";
            case X_PLUS_1 -> "x + 1";
            case NO_VALUE -> "def f():\n    pass";
        };
    }
}
