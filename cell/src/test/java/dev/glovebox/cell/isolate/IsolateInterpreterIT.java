package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IsolateInterpreterIT {
    private static final Outcome OK = new Outcome.Exited(0);

    @Test
    void runsAScriptWithNodesModulesAndFiles() {
        TestIsolates.with(isolate -> {
            isolate.file("/home/user/data.json", "{\"a\":[1,2]}");
            isolate.stdin("from stdin");
            Outcome outcome = isolate.run("main.js", """
                    const fs = require('fs');
                    const path = require('node:path');
                    fs.mkdirSync('out/deep', { recursive: true });
                    fs.writeFileSync('out/deep/f.txt', 'h\\u00e9llo');
                    fs.appendFileSync('out/deep/f.txt', '!');
                    console.log(require('./data.json').a, path.basename(__filename), process.argv[2], process.env.COLOUR);
                    console.log(fs.readFileSync('out/deep/f.txt', 'utf8'), fs.readdirSync('out'), fs.readFileSync(0, 'utf8'));
                    try { fs.readFileSync('none') } catch (e) { console.log(e.code, e.message) }
                    """);
            assertThat(isolate.err()).isEmpty();
            assertThat(isolate.out()).isEqualTo("""
                    [ 1, 2 ] main.js one blue
                    h\u00e9llo! [ 'deep' ] from stdin
                    ENOENT ENOENT: no such file or directory, open 'none'
                    """);
            assertThat(outcome).isEqualTo(OK);
            assertThat(isolate.file("/home/user/out/deep/f.txt")).isEqualTo("h\u00e9llo!");
        });
    }

    @Test
    void linksModulesOfEveryKind() {
        TestIsolates.with(isolate -> {
            isolate.file("/home/user/data.json", "{\"n\":7}");
            isolate.file("/home/user/old.cjs", "module.exports = { twice: (x) => 2 * x };");
            isolate.file("/home/user/types.ts", "export enum E { A = 5 } export const e: number = E.A;");
            isolate.file("/home/user/lib.mjs", "export const here = import.meta.url; export let late = await 3;");
            Outcome outcome = isolate.run("main.mjs", """
                    import data from './data.json' with { type: 'json' };
                    import old, { twice } from './old.cjs';
                    import { here, late } from './lib.mjs';
                    import { join } from 'node:path';
                    const { e } = await import('./types.ts');
                    console.log(data.n, old.twice === twice, twice(4), here, late, e, join('a', 'b'));
                    """);
            assertThat(isolate.err()).isEmpty();
            assertThat(isolate.out()).isEqualTo("7 true 8 file:///home/user/lib.mjs 3 5 a/b\n");
            assertThat(outcome).isEqualTo(OK);
        });
    }

    @Test
    void saysWhatIsMissingAndWhereItExists() {
        TestIsolates.with(isolate -> {
            isolate.run("main.mjs", """
                    for (const name of ['left-pad', './none.js', 'node:http'])
                        await import(name).catch((e) => console.log(e.message));
                    try { fetch('http://x') } catch (e) { console.log(e.name, e.message) }
                    """);
            assertThat(isolate.out())
                    .contains("Cannot find module 'left-pad': the isolate tier has no packages")
                    .contains("tiers with Node.js and npm are jail, gvisor or microvm")
                    .contains("Cannot find module '/home/user/none.js' imported from /home/user/main.mjs")
                    .contains("Cannot find module 'node:http'")
                    .contains("ReferenceError fetch is not defined: the network is closed in this sandbox");
        });
    }

    @Test
    void ordersTasksAsAnEventLoopDoes() {
        TestIsolates.with(isolate -> {
            isolate.run("main.js", """
                    setTimeout(() => console.log('timer'), 5);
                    setImmediate(() => console.log('immediate'));
                    Promise.resolve().then(() => console.log('microtask'));
                    const interval = setInterval(() => { console.log('tick'); clearInterval(interval) }, 20);
                    setTimeout(() => {}, 1e9).unref();
                    console.log('sync');
                    """);
            assertThat(isolate.out()).startsWith("sync\nmicrotask\n").contains("immediate\n", "timer\n", "tick\n");
        });
    }

    @Test
    void endsAProgramByItsErrorItsRejectionOrItsWish() {
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("a.js", "\nthrow new TypeError('no')")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.err())
                    .startsWith("/home/user/a.js:2\nthrow new TypeError('no')\n      ^\n\nTypeError: no\n    at ");
            assertThat(isolate.err()).doesNotContain("glovebox:");
            assertThat(isolate.errors.getFirst().name()).isEqualTo("TypeError");
        });
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("b.js", "Promise.reject(new Error('late')); setTimeout(() => console.log('x'), 50)"))
                    .isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.err()).contains("Error: late");
            assertThat(isolate.out()).isEmpty();
        });
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("c.js", "process.on('exit', (c) => console.log('bye', c)); process.exit(7); x()"))
                    .isEqualTo(new Outcome.Exited(7));
            assertThat(isolate.out()).isEqualTo("bye 7\n");
        });
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("d.mjs", "await new Promise(() => {})")).isEqualTo(new Outcome.Exited(13));
            assertThat(isolate.err()).contains("unsettled top-level await");
        });
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("f.js", "console.log(await Promise.resolve(6 * 7));"))
                    .isEqualTo(new Outcome.Exited(0));
            assertThat(isolate.out()).isEqualTo("42\n");
        });
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("e.js", "const x = ;")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.err()).contains("/home/user/e.js:1\nconst x = ;\n          ^\n\nSyntaxError:");
        });
    }

    @Test
    void keepsWhatACellDeclares() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            assertThat(isolate.execute(
                            "const x = 1; let y = 2; class A { v() { return x + y } } function f() { return 9 }"))
                    .isEqualTo(OK);
            assertThat(isolate.results).isEmpty();
            isolate.execute("const x = 10; new A().v() + f()");
            assertThat(isolate.result()).isEqualTo("21");
            isolate.execute("import fs, { existsSync as has } from 'fs'; const z = await Promise.resolve(5); z");
            assertThat(isolate.result()).isEqualTo("5");
            isolate.execute("z + typeof has + typeof fs.readFileSync");
            assertThat(isolate.result()).isEqualTo("'5functionfunction'");
            isolate.execute("let z; z");
            assertThat(isolate.results).isEmpty();
        });
    }

    @Test
    void keepsContextsApart() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.interpreter.openContext("other", GuestPath.ROOT);
            isolate.execute("let name = 'main'; function show() { return name + process.cwd() }");
            isolate.execute("other", "typeof name");
            assertThat(isolate.result()).isEqualTo("'undefined'");
            isolate.execute("other", "let name = 'other'; process.cwd()");
            assertThat(isolate.result()).isEqualTo("'/'");
            isolate.execute("show()");
            assertThat(isolate.result()).isEqualTo("'main/home/user'");
            isolate.interpreter.closeContext("other");
            assertThatThrownBy(() -> isolate.execute("other", "1"))
                    .isInstanceOf(GloveboxException.class)
                    .hasMessage("no such context");
        });
    }

    @Test
    void showsResultsAsMimeBundles() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.execute("({ a: [1, 'x'], b: null })");
            assertThat(isolate.results.getFirst().data())
                    .containsEntry("text/plain", "{ a: [ 1, 'x' ], b: null }")
                    .containsEntry("application/json", "{\"a\":[1,\"x\"],\"b\":null}");
            isolate.execute("""
                    display({ toHTML: () => '<b>' });
                    ({ [Symbol.for('Jupyter.display')]: async () => ({ 'image/png': new Uint8Array([1, 2]) }) })
                    """);
            assertThat(isolate.results.get(0).main()).isFalse();
            assertThat(isolate.results.get(0).data()).containsEntry("text/html", "<b>");
            assertThat(isolate.results.get(1).main()).isTrue();
            assertThat(isolate.results.get(1).data()).isEqualTo(Map.of("image/png", "AQI="));
            isolate.execute("new Map([[1, { a: new Set([1n]) }]])");
            assertThat(isolate.result()).isEqualTo("Map(1) { 1 => { a: Set(1) { 1n } } }");
            isolate.execute("'x'.repeat(9e6)");
            assertThat(isolate.result()).contains("'... 8990000 more characters");
        });
    }

    @Test
    void reportsACellsErrorsAndGoesOn() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            assertThat(isolate.execute("let ok = 1;\nlet x = ;")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors.getFirst().traceback())
                    .isEqualTo("cell-1.js:2\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token");
            assertThat(isolate.execute("null.x")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors.getFirst().traceback())
                    .startsWith("TypeError: Cannot read properties of null (reading 'x')\n    at eval (cell-2.js:1:6)")
                    .doesNotContain("glovebox:");
            assertThat(isolate.execute("await new Promise(() => {})")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors.getFirst().value()).contains("nothing will ever settle");
            assertThat(isolate.execute("setTimeout(() => console.log('late'), 10); 3"))
                    .isEqualTo(OK);
            assertThat(isolate.out()).isEqualTo("late\n");
            assertThat(isolate.result()).isEqualTo("3");
        });
    }

    @Test
    void interruptsACellAndKeepsItsContext() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.execute("let kept = 42");
            for (String code : new String[] {"for (;;);", "await new Promise((r) => setTimeout(r, 1e6))"}) {
                Outcome outcome = isolate.watched(
                        Duration.ofMillis(50), isolate.interpreter::interrupt, () -> isolate.execute(code));
                assertThat(outcome).isEqualTo(new Outcome.Exited(1));
                assertThat(isolate.errors.getLast().name()).isEqualTo("Interrupted");
            }
            isolate.interpreter.interrupt();
            assertThat(isolate.execute("kept")).isEqualTo(OK);
            assertThat(isolate.result()).isEqualTo("42");
        });
    }

    @Test
    void staysEndedOnceTerminated() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            Outcome timedOut = new Outcome.TimedOut(Duration.ofMillis(50), Outcome.Clock.WALL);
            assertThat(isolate.executeWithin(Duration.ofMillis(50), "for (;;);"))
                    .isEqualTo(timedOut);
            assertThat(isolate.execute("1")).isEqualTo(timedOut);
            assertThat(isolate.interpreter.cpuNanos()).isPositive();
        });
    }

    @Test
    void hasTheWebsSmallInterfaces() {
        TestIsolates.with(isolate -> {
            isolate.run("main.js", """
                    console.log(new URL('https://u@ex.com:8080/a/../b?x=1#h').href, [...new URLSearchParams('a=1&b=2')].length);
                    console.log(new TextDecoder().decode(new TextEncoder().encode('h\\u00e9\\u{1f600}')), btoa('hi'), atob('aGk='));
                    console.log(structuredClone(new Map([[new Date(0), { e: new RangeError('r') }]])).size);
                    console.log(crypto.randomUUID().length, crypto.getRandomValues(new Uint8Array(4)).length);
                    const c = new AbortController(); c.signal.addEventListener('abort', (e) => console.log(e.type)); c.abort();
                    console.log(Buffer.from('abc').toString('hex'), performance.now() < 60000, process.platform);
                    """);
            assertThat(isolate.err()).isEmpty();
            assertThat(isolate.out()).isEqualTo("""
                    https://u@ex.com:8080/b?x=1#h 2
                    h\u00e9\ud83d\ude00 aGk= hi
                    1
                    36 4
                    abort
                    616263 true glovebox
                    """);
        });
    }
}
