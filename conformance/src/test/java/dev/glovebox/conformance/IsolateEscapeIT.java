package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.api.RunResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IsolateEscapeIT extends EscapeScenarios {
    private static final List<String> ERRORS =
            List.of("Error", "TypeError", "ReferenceError", "SyntaxError", "EvalError");

    IsolateEscapeIT(Target target) {
        super(Dialect.ISOLATE_JAVASCRIPT, target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/passwd",
                "../../../../../../etc/passwd",
                "/proc/self/environ",
                "/proc/self/mem",
                "/root/.ssh/id_rsa",
                "file:///etc/passwd"
            })
    void hostFilesAreNotThere(String path) {
        refused("require('fs').readFileSync('" + path + "')", ERRORS, "ENOENT");
    }

    @Test
    void symbolicLinksStayInside() {
        refused("const fs = require('fs'); fs.symlinkSync('/etc/passwd', 'l'); fs.readFileSync('l')", ERRORS, "ENOENT");
        refused(
                "const fs = require('fs'); fs.symlinkSync('b', 'a'); fs.symlinkSync('a', 'b'); fs.readFileSync('a')",
                ERRORS,
                "ELOOP");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"child_process", "net", "http", "worker_threads", "vm", "v8", "inspector", "cluster", "dgram"})
    void modulesThatReachTheHostAreNotThere(String module) {
        refused("require('" + module + "')", ERRORS, module);
        refused("await import('node:" + module + "')", ERRORS, module);
    }

    @Test
    void nativeDoorsAreShut() {
        prints("""
                const doors = ['Java', 'Packages', 'javet', '__javet', 'Deno', 'Bun', 'SharedArrayBuffer', 'importScripts', 'quit',
                    'load', 'read', 'print', 'd8', 'version'];
                console.log(doors.filter((name) => name in globalThis && globalThis[name] !== undefined).join());
                """, "\n");
        refused("process.binding('fs')", ERRORS);
        refused("process.dlopen({}, '/lib/x86_64-linux-gnu/libc.so.6')", ERRORS);
        refused("%DebugPrint(1)", List.of("SyntaxError"));
        refused("await fetch('http://169.254.169.254/')", ERRORS, "network");
        refused("new WebSocket('ws://127.0.0.1')", ERRORS, "network");
        refused("new XMLHttpRequest()", ERRORS, "network");
    }

    @Test
    void theHostsFramesAndObjectsAreOutOfReach() {
        prints("""
                const seen = [];
                Error.prepareStackTrace = (error, frames) => {
                    const hosts = frames.filter((f) => !String(f.getFileName()).startsWith('/home/user'));
                    seen.push(...hosts.flatMap((f) => [f.getThis(), f.getFunction()]));
                    return '';
                };
                try { null.x } catch (e) { void e.stack; }
                try { require('fs').readFileSync('/missing') } catch (e) { void e.stack; }
                console.log(seen.filter((thing) => thing !== undefined).length);
                """, "0\n");
        prints("""
                const global = (0, eval)('this');
                const found = [];
                const seen = new Set();
                const walk = (value, path, depth) => {
                    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)
                        || depth > 5) return;
                    seen.add(value);
                    for (const key of Reflect.ownKeys(value)) {
                        if (/javet|java/i.test(String(key))) found.push(path + '.' + String(key));
                        let next;
                        try { next = value[key]; } catch { continue; }
                        walk(next, path + '.' + String(key), depth + 1);
                    }
                };
                walk(global, 'global', 0);
                console.log(found.join());
                """, "\n");
    }

    @Test
    void aPoisonedWorldHarmsOnlyItself() {
        RunResponse answer = run("""
                for (const type of [Array, Object, Function, String, Promise, Map, Set, Uint8Array, JSON, Reflect, Math]) {
                    for (const target of [type, type.prototype]) {
                        if (!target) continue;
                        for (const key of Reflect.ownKeys(target)) {
                            try { target[key] = () => { throw new Error('poison'); }; } catch {}
                        }
                    }
                }
                Object.prototype.__proto__ = null;
                Object.prototype.toString = () => 'poison';
                console.log('still here');
                """);
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        prints("console.log([1, 2].map((x) => x + 1).join())", "2,3\n");
    }

    @Test
    void everyKindOfEndlessWorkEnds() {
        for (String code : List.of(
                "for (;;) {}",
                "const p = () => Promise.resolve().then(p); p();",
                "(async () => { for (;;) await null; })();",
                "/^(a+)+$/.test('a'.repeat(60) + 'b')",
                "for (;;) { try { for (;;) {} } finally { continue; } }",
                "const f = () => setTimeout(f, 0); f();",
                "new Array(1e9).sort(() => 0)",
                "for (;;) new Array(1000).fill(0)",
                "while (true) JSON.stringify('x'.repeat(1e6))")) {
            RunResponse answer = run(Asking.of(dialect, code).within(Asking.wall(500)));
            assertThat(answer.outcome().word()).as(code + ": " + answer).isIn("timed_out", "out_of_memory");
        }
    }

    @Test
    void everyKindOfMemoryBombEnds() {
        for (String code : List.of(
                "const a = []; for (;;) a.push(new Array(1e5).fill(1.5))",
                "const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))",
                "const a = []; for (;;) a.push(new ArrayBuffer(1e8))",
                "let s = 'x'; for (;;) s += s + Math.random()",
                "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
                "new ArrayBuffer(2 ** 40)",
                "'x'.repeat(2 ** 30)",
                "const a = []; for (;;) a.push(new WebAssembly.Memory({ initial: 1000 }))",
                "const a = []; for (;;) a.push(Symbol(Math.random()))",
                "function f(n) { return f([n, n]); } f(0)")) {
            RunResponse answer = run(Asking.of(dialect, code).within(Asking.memory(64)));
            assertThat(answer.outcome().word()).as(code + ": " + answer).isIn("out_of_memory", "exited");
            assertThat(answer.outcome().exitStatus()).as(code + ": " + answer).isNotZero();
            assertThat(answer.usage().memoryPeakBytes()).as(code).isLessThan(256L << 20);
        }
        prints("console.log(1 + 1)", "2\n");
    }
}
