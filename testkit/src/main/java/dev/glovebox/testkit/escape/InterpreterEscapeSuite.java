package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.GuestTask;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Break the interpreter from within: pollute prototypes and builtins, replace what our own code in it uses,
/// refuse to end, lie about how it ended.
public abstract class InterpreterEscapeSuite extends EscapeTopic {
    private static final Attack POLLUTE = new Attack("""
            import builtins, sys, os, json, io
            print('refused nothing: it harms itself', flush=True)
            class Evil:
                def __getattr__(self, name):
                    raise SystemExit(0)
                def __call__(self, *a, **k):
                    raise KeyboardInterrupt
                __repr__ = __str__ = __bool__ = __len__ = __call__
            for module in list(sys.modules.values()):
                for name in list(vars(module)):
                    if name not in ('__name__', '__dict__', '__builtins__', 'Evil'):
                        try:
                            setattr(module, name, Evil())
                        except BaseException:
                            pass
            """, """
            print('refused nothing: it harms itself');
            const evil = () => { throw { toString() { throw 1; } }; };
            for (const type of [Object, Array, Function, String, Number, Promise, Map, Set, Error, RegExp, Uint8Array]) {
                for (const name of Object.getOwnPropertyNames(type.prototype)) {
                    try {
                        Object.defineProperty(type.prototype, name, { get: evil, set: evil, configurable: true });
                    } catch {}
                }
            }
            for (const name of Object.getOwnPropertyNames(globalThis)) {
                try {
                    globalThis[name] = evil;
                } catch {}
            }
            """);

    /// What a guest can make of an error that our code reports.
    private static final Attack LYING_ERROR = new Attack("""
            class Evil(Exception):
                def __str__(self):
                    while True:
                        pass
                __repr__ = __str__
                @property
                def args(self):
                    raise RecursionError
            import sys
            sys.excepthook = lambda *a: print('ESCAPED hook' * 0 + 'refused hook')
            raise Evil
            """, """
            Error.prepareStackTrace = () => { for (;;) {} };
            const error = new Error('x');
            Object.defineProperty(error, 'stack', { get() { for (;;) {} } });
            Object.defineProperty(error, 'message', { get() { throw error; } });
            error.toString = () => { for (;;) {} };
            throw error;
            """);

    private static final Attack NEVER_ENDING = new Attack("""
            import atexit, signal, sys
            def again():
                while True:
                    try:
                        while True:
                            pass
                    except BaseException:
                        pass
            atexit.register(again)
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            except BaseException:
                pass
            class Undying:
                def __del__(self):
                    again()
            undying = Undying()
            print('refused nothing yet', flush=True)
            sys.exit(0)
            """, """
            print('refused nothing yet');
            const again = () => { for (;;) { try { for (;;) {} } catch {} } };
            process.on('exit', again);
            Promise.resolve().then(function tick() { return Promise.resolve().then(tick); });
            setImmediate(again);
            process.exit(0);
            """);

    /// Errors and values of a size that nobody can use.
    private static final Attack HUGE_ERROR =
            new Attack("raise ValueError('x' * (16 << 20))", "throw new RangeError('x'.repeat(16 << 20));");

    private static final Attack CATASTROPHE =
            new Attack("import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')", "/^(a+)+$/.exec('a'.repeat(64) + 'b');");

    private static final Attack MEMORY = new Attack("""
            attempt('text', lambda: len('x' * (1 << 40)))
            attempt('bytes', lambda: len(bytearray(1 << 40)))
            attempt('list', lambda: len([0] * (1 << 40)))
            attempt('range', lambda: len(list(range(1 << 33))))
            attempt('number', lambda: len(str(1 << (1 << 20))))
            """, """
            attempt('buffer', () => new ArrayBuffer(2 ** 40).byteLength);
            attempt('text', () => 'x'.repeat(2 ** 30).length);
            attempt('length', () => new Array(-1));
            attempt('array', () => new Uint8Array(2 ** 40).length);
            attempt('shared', () => new SharedArrayBuffer(2 ** 40).byteLength);
            """);

    private static final Duration BRIEF = Duration.ofSeconds(2);

    protected InterpreterEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    private Ran runBriefly(Language language, Attack attack) {
        return BackendBench.run(sandbox(), withLimits(spec(language, attack), wall(BRIEF)));
    }

    private void nextIsClean(Language language) {
        assertThat(run(language, GuestTask.CHECK_POISON).stdout()).isEqualTo("clean\n");
        livesOn(sandbox(), language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void anInterpreterThatIsBrokenFromWithinHarmsNobodyElse(Language language) {
        Ran ran = runBriefly(language, POLLUTE);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotInstanceOf(Outcome.BackendLost.class);
        nextIsClean(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void anErrorThatCannotBeShownIsStillAnEnd(Language language) {
        Ran ran = runBriefly(language, LYING_ERROR);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotEqualTo(new Outcome.Exited(0));
        assertThat(ran.result().outcome()).isNotInstanceOf(Outcome.BackendLost.class);
        nextIsClean(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aProgramThatRefusesToEndIsEnded(Language language) {
        Ran ran = runBriefly(language, NEVER_ENDING);
        assertThat(ran.result().usage().wallTime()).as(ran.toString()).isLessThan(BRIEF.plusSeconds(5));
        assertThat(ran.result().outcome()).isNotInstanceOf(Outcome.BackendLost.class);
        nextIsClean(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aHugeErrorIsCut(Language language) {
        Ran ran = run(sandbox(), language, HUGE_ERROR);
        assertThat(ran.result().outcome()).isNotEqualTo(new Outcome.Exited(0));
        ran.result().error().ifPresent(error -> {
            assertThat(error.value().length()).isLessThan(8 << 20);
            assertThat(error.traceback().length()).isLessThan(8 << 20);
        });
        nextIsClean(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aRegularExpressionWithoutEndIsEnded(Language language) {
        Ran ran = runBriefly(language, CATASTROPHE);
        assertThat(ran.result().outcome()).as(ran.toString()).isInstanceOf(Outcome.TimedOut.class);
        assertThat(ran.result().usage().wallTime()).isLessThan(BRIEF.plusSeconds(5));
        nextIsClean(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void moreMemoryThanThereIsIsRefused(Language language) {
        Ran ran = run(sandbox(), language, MEMORY);
        assertThat(lines(ran)).as(ran.toString()).allMatch(line -> line.startsWith("refused "));
        assertThat(ran.result().outcome())
                .as(ran.toString())
                .matches(outcome -> outcome.equals(new Outcome.Exited(0)) || outcome instanceof Outcome.OutOfMemory);
        nextIsClean(language);
    }
}
