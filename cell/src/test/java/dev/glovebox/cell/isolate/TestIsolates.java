package dev.glovebox.cell.isolate;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Program;
import dev.glovebox.cell.TestDist;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.fs.WriteOptions;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// One sandbox of tier isolate for a test, and what it said.
final class TestIsolates implements GuestStreams, AutoCloseable {
    private static final long MIB = 1024 * 1024;
    private static final Duration FOR_EVER = Duration.ofSeconds(60);

    static final TypeScript TYPE_SCRIPT = load();

    final MemoryFileSystem files =
            new MemoryFileSystem(ResourceLimits.DEFAULT, InstantSource.system(), new SecureRandom());
    final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    final List<MimeBundle> results = new ArrayList<>();
    final List<ExecutionError> errors = new ArrayList<>();
    final IsolateInterpreter interpreter;
    private InputStream stdin = InputStream.nullInputStream();

    private TestIsolates(Language language, long memoryBytes) {
        interpreter = IsolateInterpreter.create(new IsolateOptions(
                language, memoryBytes, files, InstantSource.system(), new SecureRandom(), TYPE_SCRIPT));
        interpreter.warm();
    }

    /// V8's library cannot be loaded from two places in one process: all tests of the module share one.
    private static TypeScript load() {
        try {
            Path dist = TestDist.make();
            V8Library.load(dist.resolve("native"));
            return new TypeScript(dist.resolve("guest"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void with(Consumer<TestIsolates> test) {
        with(Language.JAVASCRIPT, 128 * MIB, test);
    }

    /// Runs a test on a thread with the stack that guests need.
    static void with(Language language, long memoryBytes, Consumer<TestIsolates> test) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable work = () -> {
            try (TestIsolates isolate = new TestIsolates(language, memoryBytes)) {
                test.accept(isolate);
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        };
        Thread.ofPlatform().stackSize(IsolateInterpreter.STACK_BYTES_MIN).start(work);
        try {
            done.get(FOR_EVER.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("the test did not end", e);
        }
    }

    void stdin(String text) {
        stdin = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    void file(String path, String content) {
        new HostFiles(files)
                .write(
                        new GuestPath(path),
                        ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)),
                        new WriteOptions(0644, true));
    }

    String file(String path) {
        return new String(
                new HostFiles(files).read(new GuestPath(path), Limits.CODE_BYTES_MAX), StandardCharsets.UTF_8);
    }

    Outcome run(String name, String code) {
        byte[] source = code.getBytes(StandardCharsets.UTF_8);
        return interpreter.run(
                new Program(source, name, List.of(name, "one"), Map.of("COLOUR", "blue"), GuestPath.HOME), this);
    }

    Outcome execute(String code) {
        return execute("main", code);
    }

    Outcome execute(String context, String code) {
        results.clear();
        errors.clear();
        stdout.reset();
        stderr.reset();
        return interpreter.execute(context, code, Map.of(), this);
    }

    /// Executes with someone watching who ends it after `time`.
    Outcome executeWithin(Duration time, String code) {
        return watched(
                time, () -> interpreter.terminate(new Outcome.TimedOut(time, Outcome.Clock.WALL)), () -> execute(code));
    }

    Outcome watched(Duration time, Runnable action, Supplier<Outcome> work) {
        Thread watchdog = Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(time);
                action.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            return work.get();
        } finally {
            watchdog.interrupt();
        }
    }

    String out() {
        return stdout.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return stderr.toString(StandardCharsets.UTF_8);
    }

    /// The text of the last result.
    String result() {
        return results.isEmpty() ? "" : results.getLast().data().getOrDefault("text/plain", "");
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        try {
            return stdin.read(target, offset, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void stdout(byte[] bytes, int offset, int length) {
        stdout.write(bytes, offset, length);
    }

    @Override
    public void stderr(byte[] bytes, int offset, int length) {
        stderr.write(bytes, offset, length);
    }

    @Override
    public void result(MimeBundle bundle) {
        results.add(bundle);
    }

    @Override
    public void error(ExecutionError error) {
        errors.add(error);
    }

    @Override
    public void close() {
        interpreter.close();
    }
}
