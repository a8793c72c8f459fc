package dev.glovebox.bench;

import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// The programs that the benchmark runs, and what must come of them.
final class Runs {
    static final String PYTHON_ENDLESS = "while True: pass";
    static final String SUM = "2\n";

    private static final long MIB = 1024 * 1024;

    private Runs() {}

    static RunRequest python(String code) {
        return of("python", "wasm", code, null);
    }

    static RunRequest javaScript(String tier, String code) {
        return of("javascript", tier, code, null);
    }

    static RunRequest typeScript(String code) {
        return of("typescript", "isolate", code, null);
    }

    static RunRequest module(byte[] module) {
        String base64 = Base64.getEncoder().encodeToString(module);
        return new RunRequest(null, "wasm", null, base64, null, null, null, null, null, null, null, null);
    }

    static RunRequest of(String language, String tier, String code, @Nullable LimitSet limits) {
        return new RunRequest(language, tier, code, null, null, null, null, null, null, null, null, limits);
    }

    static LimitSet wall(long millis) {
        return new LimitSet(millis, null, null, null, null, null);
    }

    static LimitSet memory(long mebibytes, long wallMillis) {
        return new LimitSet(wallMillis, null, mebibytes * MIB, null, null, null);
    }

    /// Insists on a clean end and this output.
    static void expect(RunResponse answer, String stdout) {
        if (!answer.outcome().word().equals("exited") || answer.outcome().exitStatus() != 0) {
            throw new BenchException(
                    "a run ended otherwise: " + answer.outcome().sentence());
        }
        if (!answer.stdout().equals(stdout)) {
            throw new BenchException("a run printed something else than it must");
        }
    }

    /// Insists on the way in which it ended.
    static void expectOutcome(RunResponse answer, String word) {
        if (!answer.outcome().word().equals(word)) {
            throw new BenchException(
                    "a run must end as " + word + ", but: " + answer.outcome().sentence());
        }
    }
}
