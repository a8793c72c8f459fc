package dev.glovebox.server;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.Usage;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A program for tests, one order a line: `out TEXT`, `outhex HEX`, `err TEXT`, `result TEXT`, `sleep MS`,
/// `wait` (until a signal or an interrupt), `cat`, `flood N` (N times 64 KiB), `exit N`, `raise NAME`, `refuse
/// CODE`, `crash`.
final class FakeScript {
    private final AtomicLong interrupted;
    private final String[] lines;
    private final ExecutionSink sink;
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();
    private final CountDownLatch inputEnd = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /// @param input all of it; null if it follows
    FakeScript(AtomicLong interrupted, byte[] code, byte @Nullable [] input, ExecutionSink sink) {
        this.interrupted = interrupted;
        this.lines = new String(code, StandardCharsets.UTF_8).split("\n", -1);
        this.sink = sink;
        if (input != null) {
            feed(input, true);
        }
    }

    void feed(byte[] bytes, boolean end) {
        synchronized (input) {
            input.writeBytes(bytes);
        }
        if (end) {
            inputEnd.countDown();
        }
    }

    void stop() {
        stopped.countDown();
    }

    Execution.Result play() {
        try {
            for (String line : lines) {
                Optional<Execution.Result> end = step(line.split(" ", 2));
                if (end.isPresent()) {
                    return end.get();
                }
            }
            return result(new Outcome.Exited(0), Optional.empty());
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            return result(new Outcome.Killed("the caller went away"), Optional.empty());
        }
    }

    private Optional<Execution.Result> step(String[] order) throws InterruptedException {
        String text = order.length > 1 ? order[1] : "";
        switch (order[0]) {
            case "out" -> sink.stdout((text + "\n").getBytes(StandardCharsets.UTF_8));
            case "outhex" -> sink.stdout(HexFormat.of().parseHex(text));
            case "err" -> sink.stderr((text + "\n").getBytes(StandardCharsets.UTF_8));
            case "result" -> sink.result(new MimeBundle(true, Map.of("text/plain", text)));
            case "sleep" -> Thread.sleep(Long.parseLong(text));
            case "wait" -> {
                if (!stopped.await(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody stopped the script");
                }
                return Optional.of(result(new Outcome.Killed("signal"), Optional.empty()));
            }
            case "cat" -> {
                inputEnd.await();
                synchronized (input) {
                    sink.stdout(input.toByteArray());
                }
            }
            case "flood" -> flood(Integer.parseInt(text));
            case "exit" -> {
                return Optional.of(result(new Outcome.Exited(Integer.parseInt(text)), Optional.empty()));
            }
            case "raise" -> {
                ExecutionError error = new ExecutionError(text, "it went wrong", "Traceback: " + text);
                return Optional.of(result(new Outcome.Exited(1), Optional.of(error)));
            }
            case "refuse" ->
                throw new GloveboxException(
                        ErrorCode.valueOf(text.toUpperCase(Locale.ROOT)), "refused because the script says so");
            case "crash" -> throw new IllegalStateException("secret internals");
            default -> {}
        }
        return Optional.empty();
    }

    private void flood(int count) throws InterruptedException {
        byte[] chunk = "x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            sink.stdout(chunk);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static Execution.Result result(Outcome outcome, Optional<ExecutionError> error) {
        return new Execution.Result(
                outcome, new Usage(Duration.ofMillis(3), Duration.ofMillis(2), 10_000_000, 5), error, true);
    }
}
