package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a guest tries on the prelude and on its limits, and that it gets nowhere.
class IsolateAttackIT {
    private static final long LIMIT = 64 * 1024 * 1024;
    private static final Duration PATIENCE = Duration.ofMillis(300);
    /// A heap that is nearly full is collected again and again; on a busy machine that takes seconds.
    private static final Duration MEMORY_PATIENCE = Duration.ofSeconds(30);

    @Test
    void replacedBuiltInsNeverSeeAFunctionOfTheHost() {
        TestIsolates.with(isolate -> {
            Outcome outcome = isolate.run("attack.js", """
                    const { apply, defineProperty } = Reflect, text = Function.prototype.toString, keys = Object.getOwnPropertyNames;
                    const builtIn = new Set(), seen = [], has = Set.prototype.has, typed = Object.getPrototypeOf(Uint8Array.prototype);
                    const all = [Array, String, Function, Map, Set, Promise, RegExp, Object].map((c) => c.prototype);
                    all.push(Reflect, typed, JSON, Math, Object, Promise, Array);
                    for (const o of all) for (const k of Reflect.ownKeys(o)) try { builtIn.add(o[k]) } catch {}
                    let busy = false, count = 0;
                    const watch = (f) => {
                        if (busy || typeof f !== 'function') return;
                        busy = true;
                        count++;
                        if (!apply(has, builtIn, [f]) && apply(text, f, []) === 'function () { [native code] }') seen[seen.length] = f;
                        busy = false;
                    };
                    const hook = (o, k) => {
                        const original = o[k];
                        if (typeof original !== 'function' || k === 'constructor' || k === 'prototype') return;
                        defineProperty(o, k, { __proto__: null, configurable: true, value: function (...a) {
                            watch(this);
                            for (let i = 0; i < a.length; i++) watch(a[i]);
                            return apply(original, this, a);
                        } });
                    };
                    const fs = require('fs');
                    for (const o of all) for (const k of [...keys(o), Symbol.iterator]) try { hook(o, k) } catch {}
                    for (const k of ['get', 'set', 'value', 'then', 'host', 'code', 'exports', 'seen'])
                        defineProperty(Object.prototype, k, { __proto__: null, configurable: true, get() {},
                            set(v) { watch(v); defineProperty(this, k, { __proto__: null, value: v, writable: true, configurable: true }) } });
                    Error.prepareStackTrace = (e, sites) => {
                        for (let i = 0; i < sites.length; i++) { watch(sites[i].getFunction()); watch(sites[i].getThis()) }
                        return 'x';
                    };
                    Error.stackTraceLimit = Infinity;
                    const attempt = (f) => { try { f() } catch {} };
                    attempt(() => { fs.writeFileSync('q', 'abc'); fs.readFileSync('q', 'utf8'); fs.readdirSync('.') });
                    try { fs.readFileSync('none') } catch (e) { e.stack }
                    attempt(() => console.log({ a: new Map([[1, { b: 2 }]]) }, new Error('x').stack));
                    attempt(() => console.table([{ a: 1 }]));
                    attempt(() => structuredClone({ a: [1, new Date()] }));
                    attempt(() => crypto.randomUUID());
                    attempt(() => import('./none.mjs').catch(() => {}));
                    attempt(() => Promise.reject(new Error('z')).catch(() => {}));
                    attempt(() => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
                    setTimeout(() => process.stdout.write(`seen ${seen.length} of ${count > 5}`), 1);
                    """);
            assertThat(isolate.out()).endsWith("seen 0 of true");
            assertThat(outcome).isEqualTo(new Outcome.Exited(0));
        });
    }

    @Test
    void nothingOfThePreludeHangsOnTheGlobalObject() {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.execute("[typeof __start, typeof __warm, typeof host, typeof OP, typeof SharedArrayBuffer].join()");
            assertThat(isolate.result()).isEqualTo("'undefined,undefined,undefined,undefined,undefined'");
            isolate.execute("Object.keys(globalThis).length");
            assertThat(isolate.result()).isEqualTo("0");
            isolate.execute("(function () { return console.log.caller })()");
            assertThat(isolate.errors).hasSize(1);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "throw { get message() { for (;;); }, get name() { throw 1 } }",
                "throw new Proxy(new Error('x'), { get() { throw new Proxy({}, {}) } })",
                "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw e } }); throw e",
                "Error.prepareStackTrace = () => { throw 1 }; null.x",
                "Error.prepareStackTrace = 5; Error.stackTraceLimit = -1; null.x",
                "({ [Symbol.for('Jupyter.display')]() { throw 1 } })",
                "({ [Symbol.for('nodejs.util.inspect.custom')]() { throw 1 } })",
                "function f() { return f() + 1 } f()",
                "function f() { Promise.reject(1); f() } f()",
                "function f() { import('./x.js'); f() } f()",
                "function f() { require('./x.js') } let n = 0; (function g() { try { g() } finally { f() } })()",
                "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; structuredClone(o)",
                "'['.repeat(1e5) + new Function('['.repeat(1e5))",
                "String.prototype.split = Array.prototype.join = () => { throw 1 }; Map.prototype.get = null; throw new Error('y')",
                "Atomics.wait(new Int32Array(4), 0, 0)",
                "new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true })",
                "require('fs').readFileSync('/proc/self/maps')",
                "require('fs').readFileSync('../../../../../../etc/passwd')"
            })
    void isTheGuestsOwnErrorAndNeverAnExceptionOfJava(String code) {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            assertThat(isolate.execute(code)).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors).isNotEmpty();
            assertThat(isolate.execute("40 + 2")).isEqualTo(new Outcome.Exited(0));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "for (;;);",
                "while (true) new Array(1000).fill(0)",
                "(function f() { Promise.resolve().then(f) })()",
                "(async () => { for (;;) await 1 })(); 1",
                "setInterval(() => {}, 0); await new Promise(() => {})",
                "(function f() { setImmediate(f) })()",
                "for (;;) console.log('spam')",
                "console.log(new Proxy({}, { ownKeys() { for (;;); } }))",
                "({ get [Symbol.toStringTag]() { for (;;); } })",
                "({ toJSON() { for (;;); } }); JSON.stringify({ toJSON() { for (;;); } })",
                "/(a+)+$/.test('a'.repeat(40) + 'b')",
                "let x = 3n ** 1000000n; for (;;) x * x",
                "for (;;) try { throw 1 } catch {} finally { continue }",
                "await new Promise((r) => setTimeout(r, 1e9))",
                "process.exit = 1; for (;;) require('fs').existsSync('x')"
            })
    void endsWhenItIsTold(String code) {
        TestIsolates.with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            assertThat(isolate.executeWithin(PATIENCE, code))
                    .isEqualTo(new Outcome.TimedOut(PATIENCE, Outcome.Clock.WALL));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "new ArrayBuffer(1 << 30)",
                "new ArrayBuffer(2 ** 32)",
                "new Float64Array(2 ** 30).fill(1)",
                "new ArrayBuffer(2 ** 33).slice(0)",
                "new ArrayBuffer(2 ** 50)",
                "new ArrayBuffer(1, { maxByteLength: 2 ** 34 }).resize(2 ** 33)",
                "new Uint8Array(1.5e9).fill(1)",
                "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
                "const a = []; for (;;) a.push({ x: 1, y: [1, 2, 3] })",
                "const a = []; for (;;) a.push(new Array(1000).fill(0))",
                "const a = []; for (;;) a.push('x'.repeat(1e6).toUpperCase())",
                "let s = 'x'; for (;;) s += s.charCodeAt(s.length - 1) + s",
                "const a = []; for (;;) a.push(2n ** 100000n)",
                "const m = []; for (;;) m.push(new WebAssembly.Memory({ initial: 256 }))",
                "const a = []; for (;;) a.push(new ArrayBuffer(1, { maxByteLength: 1 << 30 }).resize(1 << 30))",
                "const a = []; for (;;) a.push(structuredClone(new Uint8Array(1 << 22)))"
            })
    void runsOutOfItsOwnMemory(String code) {
        TestIsolates.with(Language.JAVASCRIPT, LIMIT, isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            assertThat(isolate.executeWithin(MEMORY_PATIENCE, code)).isEqualTo(new Outcome.OutOfMemory(LIMIT));
            assertThat(isolate.interpreter.memoryPeakBytes()).isPositive();
        });
    }

    @Test
    void webAssemblyMemoriesGrowByTheLimitTogetherAndNoFurther() {
        TestIsolates.with(Language.JAVASCRIPT, LIMIT, isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.execute("const m = new WebAssembly.Memory({ initial: 1 }); m.grow(512); m.buffer.byteLength");
            assertThat(isolate.result()).isEqualTo(String.valueOf(513 * 65536));
            isolate.execute("m.grow(1)");
            assertThat(isolate.errors.getFirst().name()).isEqualTo("RangeError");
            // (module (memory 1) (func (export "f") (result i32) (memory.grow (i32.const 1024))))
            isolate.execute("""
                    const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1,
                        7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 65, 128, 8, 64, 0, 11]);
                    new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f()
                    """);
            assertThat(isolate.errors).isEmpty();
            assertThat(isolate.result()).isEqualTo("-1");
            isolate.execute("""
                    const memories = [];
                    for (let i = 0; i < 100; i++) {
                        const memory = new WebAssembly.Memory({ initial: 0 });
                        for (let pages = 1024; pages >= 1; pages /= 2) try { memory.grow(pages) } catch {}
                        memories.push(memory);
                    }
                    memories.reduce((sum, memory) => sum + memory.buffer.byteLength, m.buffer.byteLength)
                    """);
            assertThat(Long.parseLong(isolate.result())).isBetween(LIMIT / 2, LIMIT + 65536);
        });
    }

    @Test
    void anotherSandboxGoesOnAfterOneRanOutOfMemory() {
        TestIsolates.with(other -> {
            other.interpreter.openContext("main", GuestPath.HOME);
            other.execute("let kept = 'alive'");
            TestIsolates.with(Language.JAVASCRIPT, LIMIT, isolate -> {
                isolate.interpreter.openContext("main", GuestPath.HOME);
                isolate.executeWithin(
                        MEMORY_PATIENCE, "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))");
            });
            other.execute("kept");
            assertThat(other.result()).isEqualTo("'alive'");
        });
    }
}
