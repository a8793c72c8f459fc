package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// One running cell, as the server sees it: its process, its control connection, and how many sandboxes it hosts.
/// Thread-safe.
final class Cell implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Cell.class.getName());
    /// A line of a cell's log; a cell that a guest took over could write any.
    private static final int LOG_LINE_CHARS_MAX = 1000;
    /// Lines of one cell's log that are kept; the rest is read and dropped, so that the cell never blocks on it.
    private static final int LOG_LINES_MAX = 1000;
    /// SIGKILL takes effect at once, unless the machine is in trouble.
    private static final Duration END_MAX = Duration.ofSeconds(10);

    private static final Duration LOG_END_MAX = Duration.ofSeconds(1);

    private final AgentListener listener;
    private final Duration patience;
    private final Process process;
    private final AgentConnection control;
    private final Thread log;
    private volatile long memoryBytes;
    private final AtomicReference<String> death = new AtomicReference<>("");

    private Cell(AgentListener listener, Duration patience, Process process, AgentConnection control, Thread log) {
        this.listener = listener;
        this.patience = patience;
        this.process = process;
        this.control = control;
        this.log = log;
    }

    /// Starts a cell and waits for its greeting.
    ///
    /// @param patience how long, for this and for each greeting of a sandbox
    static Cell start(AgentListener listener, CellLauncher launcher, Duration patience) throws InterruptedException {
        try (AgentListener.Expected expected = listener.expect()) {
            Process process = launcher.launch(expected.tokenHex());
            Thread log = Thread.ofPlatform()
                    .daemon()
                    .name("cell-" + process.pid() + "-log")
                    .start(() -> copyLog(process));
            var _ = process.onExit()
                    .thenAccept(ended -> expected.giveUp("its process ended with status " + ended.exitValue()));
            try {
                AgentConnection control = expected.take(patience);
                return new Cell(listener, patience, process, control, log);
            } catch (RuntimeException | InterruptedException failure) {
                end(process, log);
                throw failure;
            }
        }
    }

    /// Makes a sandbox in this cell and returns its connection. A cell that does not keep its part is ended.
    AgentConnection spawn(Requirements requirements) throws InterruptedException {
        try (AgentListener.Expected expected = listener.expect()) {
            Fields.Builder fields = Fields.builder()
                    .bytes(Tag.TOKEN, expected.token())
                    .text(Tag.TIER, requirements.tier().word())
                    .text(Tag.LANGUAGE, requirements.language().word());
            Requests.putLimits(fields, requirements.limits());
            Requests.putQuota(fields, requirements.limits());
            try (AgentChannel channel = control.open(RequestKind.SPAWN, fields.build(), patience)) {
                Optional<Frame> answer = channel.take(patience);
                if (answer.isEmpty() || answer.get().type() != FrameType.CLOSE) {
                    throw new ProtocolException("it did not answer SPAWN");
                }
                Outcomes.check(Fields.decode(answer.get().payload()));
            } catch (ProtocolException broken) {
                condemn(broken.getMessage());
                throw new GloveboxException(ErrorCode.BACKEND_LOST, "the cell is gone: " + broken.getMessage(), broken);
            }
            return expected.take(patience);
        }
    }

    boolean isAlive() {
        return process.isAlive() && death.get().isEmpty();
    }

    long pid() {
        return process.pid();
    }

    /// What it held when it was last looked at, in bytes.
    void holds(long bytes) {
        memoryBytes = bytes;
    }

    /// Whether it holds so much that new sandboxes should go elsewhere.
    boolean isWorn() {
        return memoryBytes > Limits.CELL_WORN_BYTES;
    }

    /// Runs `action` with the reason when the cell ends without [#close()].
    void onDeath(java.util.function.Consumer<String> action) {
        control.onLost(reason -> {
            death.compareAndSet("", reason);
            process.destroyForcibly();
            action.accept(death.get());
        });
    }

    /// Ends the cell at once, with all that is in it, because it cannot be trusted any more.
    void condemn(String why) {
        if (death.compareAndSet("", why)) {
            LOG.log(System.Logger.Level.WARNING, "cell {0} is ended: {1}", Long.toString(process.pid()), why);
        }
        process.destroyForcibly();
    }

    /// Ends the cell and waits until it is gone. Idempotent.
    @Override
    public void close() {
        control.close();
        end(process, log);
    }

    private static void end(Process process, Thread log) {
        process.destroyForcibly();
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.waitFor(END_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("cell " + process.pid() + " outlives SIGKILL");
            }
            // Not for ever: whatever else holds the other end of its log must not hold us.
            log.join(LOG_END_MAX);
        } catch (InterruptedException _) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Hands the cell's log on, line by line, bounded and without control characters.
    private static void copyLog(Process process) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            int count = 0;
            String line;
            while ((line = readLine(lines)) != null) {
                count++;
                if (count <= LOG_LINES_MAX) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "cell {0} says: {1}",
                            Long.toString(process.pid()),
                            Outcomes.printable(line));
                }
            }
        } catch (IOException _) {
            // The process ended.
        }
    }

    /// As BufferedReader.readLine, but a line without end does not fill the memory.
    private static @org.jspecify.annotations.Nullable String readLine(Reader reader) throws IOException {
        StringBuilder line = new StringBuilder();
        int character;
        while ((character = reader.read()) >= 0 && character != '\n') {
            if (line.length() < LOG_LINE_CHARS_MAX) {
                line.append((char) character);
            }
        }
        return character < 0 && line.isEmpty() ? null : line.toString();
    }
}
