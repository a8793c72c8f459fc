package dev.glovebox.testkit;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Usage;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A program that a fake sandbox pretends to run: a [GuestTask] by its name. Thread-safe; runs on its caller's
/// thread.
final class FakeRun {
    /// What surrounds the program.
    ///
    /// @param globals what outlives it: an interpreter's state
    record Surroundings(
            List<String> arguments,
            Map<String, String> environment,
            GuestPath directory,
            FakeFiles files,
            FakePorts ports,
            ResourceLimits limits,
            Map<String, String> globals) {}

    /// The program is over.
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Outcome outcome;

        Ended(Outcome outcome) {
            super("ended", null, false, false);
            this.outcome = outcome;
        }
    }

    private final Surroundings around;
    private final ExecutionSink sink;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> input = new ArrayDeque<>();
    private final long begun = System.nanoTime();
    private boolean inputEnded;
    private @Nullable Outcome end;
    private boolean interrupted;
    private boolean stubborn;
    private long outputBytes;
    private long cpuNanos;
    private Optional<ExecutionError> error = Optional.empty();

    FakeRun(Surroundings around, boolean takesInput, ExecutionSink sink) {
        this.around = around;
        this.sink = sink;
        this.inputEnded = !takesInput;
    }

    /// Ends the program from outside; the first end counts.
    void end(Outcome outcome) {
        change(() -> {
            if (end == null) {
                end = outcome;
            }
        });
    }

    void interrupt() {
        change(() -> {
            interrupted = true;
            if (stubborn && end == null) {
                end = new Outcome.Killed("it did not heed an interrupt");
            }
        });
    }

    void input(byte[] bytes, boolean last) {
        change(() -> {
            input.addLast(bytes.clone());
            inputEnded = last;
        });
    }

    /// Whether the program would have to be ended by force: then its interpreter ends too.
    boolean isStubborn() {
        return stubborn;
    }

    private void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Execution.Result run(String code) {
        Outcome outcome;
        sink.running(0);
        try {
            perform(GuestTask.valueOf(code));
            outcome = new Outcome.Exited(0);
        } catch (Ended ended) {
            outcome = ended.outcome;
        }
        Usage usage = new Usage(
                Duration.ofNanos(System.nanoTime() - begun), Duration.ofNanos(cpuNanos), 1 << 20, outputBytes);
        return new Execution.Result(outcome, usage, error, false);
    }

    private void perform(GuestTask task) {
        switch (task) {
            case HELLO -> print("hello, wörld\n");
            case BOTH_STREAMS -> {
                print("out\n");
                complain("err\n");
            }
            case EXIT_7 -> throw new Ended(new Outcome.Exited(7));
            case RAISE -> raise("ValueError", "bad value");
            case ARGUMENTS ->
                print(json(around.arguments().subList(1, around.arguments().size())));
            case ENVIRONMENT -> {
                StringBuilder text = new StringBuilder();
                around.environment().forEach((name, value) -> text.append('"' + name + "\":\"" + value + "\","));
                print("{" + text + "}");
            }
            case DIRECTORY -> print(around.directory() + "\n");
            case CAT -> {
                for (byte[] chunk = read(); chunk.length > 0; chunk = read()) {
                    write(chunk, false);
                }
            }
            case ANSWER_LINES -> {
                for (byte[] chunk = read(); chunk.length > 0; chunk = read()) {
                    print("got " + new String(chunk, StandardCharsets.UTF_8));
                }
            }
            case READY_AND_WAIT -> {
                print("ready\n");
                pause(false);
            }
            case READY_AND_SPIN -> {
                print("ready\n");
                pause(true);
            }
            case SERVE_PORTS ->
                around.ports().serve(this::print, () -> {
                    print("ready\n");
                    pause(false);
                });
            case SPIN -> pause(true);
            case SPIN_STUBBORNLY -> {
                change(() -> stubborn = true);
                print("ready\n");
                pause(true);
            }
            case HOG -> throw new Ended(new Outcome.OutOfMemory(around.limits().memoryBytes()));
            case FLOOD -> {
                while (true) {
                    print("x".repeat(1000) + "\n");
                }
            }
            case PRINT_MEBIBYTE -> print("x".repeat(1 << 20));
            case RECURSE -> raise("RecursionError", "too deep");
            case CONNECT -> raise("OSError", "the network is closed");
            case IMPORT_NATIVE -> raise("ModuleNotFoundError", "use gvisor or microvm");
            default -> performRest(task);
        }
    }

    private void performRest(GuestTask task) {
        Map<String, String> globals = around.globals();
        switch (task) {
            case PRINT_ALL_BYTES -> {
                byte[] all = new byte[256];
                for (int i = 0; i < all.length; i++) {
                    all[i] = (byte) i;
                }
                write(all, false);
            }
            case WRITE_FILE -> around.files().write(new GuestPath("/home/user/out.txt"), bytes("from inside"));
            case READ_FILE -> write(around.files().read(new GuestPath("/home/user/in.txt")), false);
            case FILL_DISK -> {
                try {
                    for (int i = 0; i < 100_000; i++) {
                        around.files().write(new GuestPath("/home/user/fill" + i), new byte[1 << 18]);
                    }
                } catch (GloveboxException _) {
                    print("full\n");
                }
            }
            case MAKE_LINK -> around.files().link(new GuestPath("/home/user/link"), "in.txt");
            case POISON -> {
                globals.put("poisoned", "yes");
                print("done\n");
            }
            case CHECK_POISON -> print(globals.containsKey("poisoned") ? "poisoned\n" : "clean\n");
            case SET_X -> globals.put("x", "41");
            case X_PLUS_1 -> {
                if (!globals.containsKey("x")) {
                    raise("NameError", "name 'x' is not defined");
                }
                sink.result(new MimeBundle(true, Map.of("text/plain", "42")));
            }
            case NO_VALUE -> globals.put("f", "function");
            default -> throw new IllegalStateException("nobody taught the fake " + task);
        }
    }

    private static String json(List<String> texts) {
        StringBuilder text = new StringBuilder("[");
        for (String one : texts) {
            text.append(text.length() > 1 ? ", " : "")
                    .append('"')
                    .append(one.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return text + "]\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void print(String text) {
        write(bytes(text), false);
    }

    private void complain(String text) {
        write(bytes(text), true);
    }

    private void raise(String name, String value) {
        complain("Traceback: inner\n" + name + ": " + value + "\n");
        error = Optional.of(new ExecutionError(name, value, "Traceback: inner\n" + name + ": " + value));
        throw new Ended(new Outcome.Exited(1));
    }

    private void write(byte[] bytes, boolean toStderr) {
        checkEnd();
        long room = around.limits().outputBytes() - outputBytes;
        byte[] fits = bytes.length <= room ? bytes : Arrays.copyOf(bytes, (int) room);
        if (fits.length > 0) {
            outputBytes += fits.length;
            if (toStderr) {
                sink.stderr(fits);
            } else {
                sink.stdout(fits);
            }
        }
        if (fits.length < bytes.length) {
            throw new Ended(new Outcome.KilledByPolicy(
                    "output.max", "wrote more than " + around.limits().outputBytes() + " bytes of output"));
        }
    }

    private void checkEnd() {
        lock.lock();
        try {
            if (end != null) {
                throw new Ended(end);
            }
            if (interrupted && !stubborn) {
                throw new Ended(new Outcome.Exited(130));
            }
        } finally {
            lock.unlock();
        }
    }

    /// Everything that has come, or an empty array at the end.
    private byte[] read() {
        lock.lock();
        try {
            awaitUntil(() -> !input.isEmpty() || inputEnded, Duration.ofHours(1).toNanos());
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (!input.isEmpty()) {
                all.writeBytes(input.removeFirst());
            }
            return all.size() > 0 || inputEnded ? all.toByteArray() : read();
        } finally {
            lock.unlock();
        }
    }

    private void pause(boolean spin) {
        ResourceLimits limits = around.limits();
        boolean cpuFirst = spin && limits.cpuTime().compareTo(limits.wallTime()) < 0;
        Duration limit = cpuFirst ? limits.cpuTime() : limits.wallTime();
        lock.lock();
        try {
            awaitUntil(() -> false, limit.toNanos() - (System.nanoTime() - begun));
            checkEnd();
        } finally {
            cpuNanos = spin ? System.nanoTime() - begun : 0;
            lock.unlock();
        }
        throw new Ended(new Outcome.TimedOut(limit, cpuFirst ? Outcome.Clock.CPU : Outcome.Clock.WALL));
    }

    /// Waits with the lock held; an end or an interrupt of the program ends the waiting.
    private void awaitUntil(BooleanSupplier condition, long nanos) {
        try {
            long rest = nanos;
            while (!condition.getAsBoolean() && rest > 0) {
                checkEnd();
                rest = changed.awaitNanos(rest);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Ended(new Outcome.Killed("the caller went away"));
        }
    }

    /// All of a source.
    static byte[] drain(ByteSource source) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int count = source.read(buffer); count >= 0; count = source.read(buffer)) {
            all.write(buffer, 0, count);
        }
        return all.toByteArray();
    }
}
