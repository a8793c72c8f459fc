package dev.glovebox.conformance;

/// A language in a tier, and the scenarios' programs in it.
enum Dialect {
    WASM_PYTHON("wasm", "python"),
    WASM_JAVASCRIPT("wasm", "javascript"),
    ISOLATE_JAVASCRIPT("isolate", "javascript"),
    ISOLATE_TYPESCRIPT("isolate", "typescript");

    private final String tier;
    private final String language;

    Dialect(String tier, String language) {
        this.tier = tier;
        this.language = language;
    }

    /// What a program does.
    enum Task {
        /// Prints `hello, wörld`.
        HELLO,
        /// Prints `out` to one stream and `err` to the other.
        BOTH_STREAMS,
        EXIT_7,
        /// Raises an error with the message `bad value` in a function `inner`.
        RAISE,
        /// Prints its arguments, a line each.
        ARGUMENTS,
        /// Prints the variable `MINE`.
        ENVIRONMENT,
        /// Prints all names of variables, a line each.
        ENVIRONMENT_NAMES,
        /// Prints its standard input.
        CAT,
        /// Answers `got ` and the line to each line of standard input.
        ANSWER_LINES,
        /// Prints `ready`, and half a second later `steady`.
        READY_STEADY,
        /// Prints `ready`, and waits for an hour.
        READY_AND_WAIT,
        /// Prints `ready`, and computes for ever.
        READY_AND_SPIN,
        /// Computes for ever.
        SPIN,
        /// Takes ever more memory.
        HOG,
        /// Prints for ever.
        FLOOD,
        /// Calls itself for ever.
        RECURSE,
        /// Copies `in.txt` to `out.txt`, backwards.
        REVERSE_FILE,
        /// Writes bytes 0 to 255.
        ALL_BYTES,
        /// Writes files until it cannot, then prints `full`.
        FILL_DISK,
        /// `x = 41`
        SET_X,
        /// `x + 1`
        X_PLUS_1,
        /// Spoils what it can reach of its own world, and prints `done`.
        POISON,
        /// Prints `clean` unless something is spoilt.
        CHECK_POISON
    }

    String tier() {
        return tier;
    }

    String language() {
        return language;
    }

    /// A name for programs; as a CommonJS module JavaScript has `require`.
    String fileName() {
        return isPython() ? "main.py" : this == ISOLATE_TYPESCRIPT ? "main.ts" : "main.js";
    }

    boolean isPython() {
        return this == WASM_PYTHON;
    }

    String program(Task task) {
        if (isPython()) {
            return python(task);
        }
        boolean inContext = task == Task.SET_X || task == Task.X_PLUS_1;
        return (this == ISOLATE_TYPESCRIPT && !inContext ? "const typed: number = 1;\n" : "") + javaScript(task);
    }

    private static String python(Task task) {
        return switch (task) {
            case HELLO -> "print('hello, wörld')";
            case BOTH_STREAMS -> "import sys\nprint('out')\nprint('err', file=sys.stderr)";
            case EXIT_7 -> "raise SystemExit(7)";
            case RAISE -> "def inner():\n    raise ValueError('bad value')\ninner()";
            case ARGUMENTS -> "import sys\nfor a in sys.argv[1:]: print(a)";
            case ENVIRONMENT -> "import os\nprint(os.environ['MINE'])";
            case ENVIRONMENT_NAMES -> "import os\nfor name in os.environ: print(name)";
            case CAT -> "import sys\nsys.stdout.write(sys.stdin.read())";
            case ANSWER_LINES -> "import sys\nfor line in sys.stdin: print('got ' + line, end='', flush=True)";
            case READY_STEADY -> "import time\nprint('ready', flush=True)\ntime.sleep(0.5)\nprint('steady')";
            case READY_AND_WAIT -> "import time\nprint('ready', flush=True)\ntime.sleep(3600)";
            case READY_AND_SPIN -> "print('ready', flush=True)\nwhile True: pass";
            case SPIN -> "while True: pass";
            case HOG -> "x = []\nwhile True: x.append(bytearray(1 << 20))";
            case FLOOD -> "while True: print('x' * 1000)";
            case RECURSE -> "def f(n): return f(n + 1) + 1\nf(0)";
            case REVERSE_FILE -> "open('out.txt', 'w').write(open('in.txt').read()[::-1])";
            case ALL_BYTES -> "import sys\nsys.stdout.buffer.write(bytes(range(256)))";
            case FILL_DISK -> """
                try:
                    for i in range(100000):
                        with open(f'/home/user/fill{i}', 'wb') as f: f.write(b'x' * (1 << 18))
                except OSError:
                    print('full')
                """;
            case SET_X -> "x = 41";
            case X_PLUS_1 -> "x + 1";
            case POISON -> """
                import builtins, sys, json, os
                builtins.poisoned = json.poisoned = os.path.poisoned = True
                os.environ['POISONED'] = 'yes'
                builtins.len = lambda _: 4711
                sys.path.insert(0, '/poisoned')
                open('/tmp/poisoned', 'w').write('x')
                print('done')
                """;
            case CHECK_POISON -> """
                import builtins, sys, json, os
                clean = (not hasattr(builtins, 'poisoned') and not hasattr(json, 'poisoned')
                         and 'POISONED' not in os.environ and not hasattr(os.path, 'poisoned') and len('abc') == 3
                         and '/poisoned' not in sys.path and not os.path.exists('/tmp/poisoned'))
                print('clean' if clean else 'poisoned')
                """;
        };
    }

    private static String javaScript(Task task) {
        return switch (task) {
            case HELLO -> "console.log('hello, wörld');";
            case BOTH_STREAMS -> "console.log('out');\nconsole.error('err');";
            case EXIT_7 -> "process.exit(7);";
            case RAISE -> "function inner() {\n    throw new RangeError('bad value');\n}\ninner();";
            case ARGUMENTS -> "process.argv.slice(2).forEach((a) => console.log(a));";
            case ENVIRONMENT -> "console.log(process.env.MINE);";
            case ENVIRONMENT_NAMES -> "Object.keys(process.env).forEach((name) => console.log(name));";
            case CAT -> "process.stdin.on('data', (chunk) => process.stdout.write(chunk));";
            case ANSWER_LINES ->
                "require('readline').createInterface({ input: process.stdin })"
                        + ".on('line', (line) => console.log('got ' + line));";
            case READY_STEADY -> "console.log('ready');\nsetTimeout(() => console.log('steady'), 500);";
            case READY_AND_WAIT -> "console.log('ready');\nsetTimeout(() => {}, 3600000);";
            case READY_AND_SPIN -> "console.log('ready');\nfor (;;) {}";
            case SPIN -> "for (;;) {}";
            case HOG -> "const x = [];\nfor (;;) {\n    x.push(new Array(100000).fill(x.length + 0.5));\n}";
            case FLOOD -> "for (;;) {\n    console.log('x'.repeat(1000));\n}";
            case RECURSE -> "function f(n) {\n    return f(n + 1) + 1;\n}\nf(0);";
            case REVERSE_FILE ->
                "const fs = require('fs');\nfs.writeFileSync('out.txt',"
                        + " fs.readFileSync('in.txt', 'utf8').split('').reverse().join(''));";
            case ALL_BYTES -> "process.stdout.write(Uint8Array.from({ length: 256 }, (_, i) => i));";
            case FILL_DISK -> """
                try {
                    for (let i = 0; i < 100000; i++) {
                        require('fs').writeFileSync('/home/user/fill' + i, new Uint8Array(1 << 18));
                    }
                } catch {
                    console.log('full');
                }
                """;
            case SET_X -> "var x = 41;";
            case X_PLUS_1 -> "x + 1";
            case POISON -> """
                globalThis.poisoned = true;
                Object.prototype.poisoned = true;
                Array.prototype.push = () => 4711;
                JSON.stringify = () => 'poisoned';
                process.env.POISONED = 'yes';
                require('fs').writeFileSync('/tmp/poisoned', 'x');
                console.log('done');
                """;
            case CHECK_POISON -> """
                const fresh = [];
                fresh.push(1);
                const clean = !('poisoned' in globalThis) && !('poisoned' in {}) && fresh.length === 1
                    && JSON.stringify(1) === '1' && process.env.POISONED === undefined
                    && !require('fs').existsSync('/tmp/poisoned');
                console.log(clean ? 'clean' : 'poisoned');
                """;
        };
    }
}
