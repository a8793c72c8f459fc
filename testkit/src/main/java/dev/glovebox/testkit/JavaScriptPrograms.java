package dev.glovebox.testkit;

import dev.glovebox.core.Language;

record JavaScriptPrograms(Language language, String fileName) implements GuestPrograms {
    /// What marks a program as TypeScript that JavaScript would refuse: types, which are left out, and an enum, which
    /// becomes code.
    private static final String TYPED = "const typed: number = 1; enum Marked { Yes = typed }\n";

    @Override
    public String code(GuestTask task) {
        boolean inContext = task == GuestTask.SET_X || task == GuestTask.X_PLUS_1 || task == GuestTask.NO_VALUE;
        return (language == Language.TYPESCRIPT && !inContext ? TYPED : "") + plain(task);
    }

    private static final String SERVE_PORTS = """
            const net = require('net');
            const hear = (s, then) => {
                let n = 0;
                s.on('data', (chunk) => { n += chunk.length; });
                s.on('end', () => then(n));
            };
            const hows = [
                (s) => s.pipe(s),
                (s) => {
                    s.end('first');
                    hear(s, (n) => console.log('heard ' + n));
                },
                (s) => hear(s, (n) => s.end('heard ' + n)),
                (s) => s.end('bye', () => s.destroy()),
                (s) => s.once('data', () => s.resetAndDestroy()),
            ];
            let waiting = hows.length;
            hows.forEach((how, i) => net.createServer({ allowHalfOpen: true }, (s) => {
                s.on('error', () => {});
                how(s);
            }).listen(7001 + i, '127.0.0.1', 128, () => {
                waiting -= 1;
                if (waiting === 0) {
                    console.log('ready');
                }
            }));
            """;

    private static String plain(GuestTask task) {
        return switch (task) {
            case HELLO -> "console.log('hello, wörld');";
            case BOTH_STREAMS -> "console.log('out');\nconsole.error('err');";
            case EXIT_7 -> "process.exit(7);";
            case RAISE -> "function inner() {\n    throw new RangeError('bad value');\n}\ninner();";
            case ARGUMENTS -> "console.log(JSON.stringify(process.argv.slice(2)));";
            case ENVIRONMENT -> "console.log(JSON.stringify(process.env));";
            case DIRECTORY -> "console.log(process.cwd());";
            case CAT -> "process.stdin.on('data', (chunk) => process.stdout.write(chunk));";
            case ANSWER_LINES ->
                "require('readline').createInterface({ input: process.stdin })"
                        + ".on('line', (line) => console.log('got ' + line));";
            case READY_AND_WAIT -> "console.log('ready');\nsetTimeout(() => {}, 3600000);";
            case READY_AND_SPIN -> "console.log('ready');\nfor (;;) {}";
            case SPIN -> "for (;;) {}";
            case SPIN_STUBBORNLY ->
                "console.log('ready');\nfor (;;) {\n    try {\n        for (;;) {}\n    } catch {} finally {\n        continue;"
                        + "\n    }\n}";
            case HOG -> "const x = [];\nfor (;;) {\n    x.push(new Array(100000).fill(x.length + 0.5));\n}";
            case FLOOD -> "for (;;) {\n    console.log('x'.repeat(1000));\n}";
            case PRINT_MEBIBYTE -> "process.stdout.write('x'.repeat(1 << 20));";
            case PRINT_ALL_BYTES -> "process.stdout.write(Uint8Array.from({ length: 256 }, (_, i) => i));";
            case RECURSE -> "function f(n) {\n    return f(n + 1) + 1;\n}\nf(0);";
            case WRITE_FILE -> "require('fs').writeFileSync('/home/user/out.txt', 'from inside');";
            case READ_FILE -> "process.stdout.write(require('fs').readFileSync('/home/user/in.txt', 'utf8'));";
            case FILL_DISK -> """
                try {
                    for (let i = 0; i < 100000; i++) {
                        require('fs').writeFileSync('/home/user/fill' + i, new Uint8Array(1 << 18));
                    }
                } catch {
                    console.log('full');
                }
                """;
            case MAKE_LINK -> "require('fs').symlinkSync('in.txt', '/home/user/link');";
            case POISON -> """
                globalThis.poisoned = true;
                Object.prototype.poisoned = true;
                Array.prototype.push = () => 4711;
                JSON.stringify = () => 'poisoned';
                process.env.POISONED = 'yes';
                console.log('done');
                """;
            case CHECK_POISON -> """
                const fresh = [];
                fresh.push(1);
                const clean = !('poisoned' in globalThis) && !('poisoned' in {}) && fresh.length === 1
                    && JSON.stringify(1) === '1' && process.env.POISONED === undefined;
                console.log(clean ? 'clean' : 'poisoned');
                """;
            case CONNECT -> "fetch('http://1.1.1.1/').then(() => console.log('connected'));";
            case IMPORT_NATIVE -> "console.log(require('sharp').versions);";
            case SERVE_PORTS -> SERVE_PORTS;
            case SET_X -> "var x = 41;";
            case X_PLUS_1 -> "x + 1";
            case NO_VALUE -> "function f() {}";
        };
    }
}
