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
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// One running cell, as the server sees it: its process, its control connection, and how many sandboxes it hosts.
/// Thread-safe.
final class Cell implements AutoCloseable {
    /// SIGKILL takes effect at once, unless the machine is in trouble.
    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final AgentListener listener;
    private final Duration patience;
    private final CellProcess process;
    private final AgentConnection control;
    private volatile long memoryBytes;
    private final AtomicReference<String> death = new AtomicReference<>("");

    private Cell(AgentListener listener, Duration patience, CellProcess process, AgentConnection control) {
        this.listener = listener;
        this.patience = patience;
        this.process = process;
        this.control = control;
    }

    /// Starts a cell and waits for its greeting.
    ///
    /// @param patience how long, for this and for each greeting of a sandbox
    static Cell start(AgentListener listener, CellLauncher launcher, Duration patience) throws InterruptedException {
        try (AgentListener.Expected expected = listener.expect()) {
            CellProcess process = launcher.launch(expected.tokenHex());
            process.onEnd(expected::giveUp);
            try {
                AgentConnection control = expected.take(patience);
                return new Cell(listener, patience, process, control);
            } catch (RuntimeException | InterruptedException failure) {
                end(process);
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
            process.kill();
            action.accept(death.get());
        });
    }

    /// Ends the cell at once, with all that is in it, because it cannot be trusted any more.
    void condemn(String why) {
        if (death.compareAndSet("", why)) {
            CellLog.isEnded(process.pid(), why);
        }
        process.kill();
    }

    /// Ends the cell and waits until it is gone. Idempotent.
    @Override
    public void close() {
        control.close();
        end(process);
    }

    private static void end(CellProcess process) {
        process.kill();
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.awaitEnd(END_MAX)) {
                throw new IllegalStateException("cell " + process.pid() + " outlives SIGKILL");
            }
        } catch (InterruptedException _) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
