package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.TransportException;
import dev.glovebox.wire.api.TerminalSet;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Gives the terminal of a process the size of ours, whenever that changes. A JVM hears of no SIGWINCH by its public
/// interfaces, so it looks once a second.
final class Resizer implements AutoCloseable {
    private final Sandbox sandbox;
    private final CountDownLatch over = new CountDownLatch(1);
    private TerminalSet known;

    Resizer(Sandbox sandbox, TerminalSet known) {
        this.sandbox = sandbox;
        this.known = known;
    }

    /// From when the process is there.
    void begin(long pid) {
        Thread.ofPlatform().daemon().name("terminal-size").start(() -> watch(pid));
    }

    private void watch(long pid) {
        try {
            while (!over.await(1, TimeUnit.SECONDS)) {
                Optional<TerminalSet> now = Terminal.size();
                if (now.isPresent() && !now.get().equals(known)) {
                    known = now.get();
                    sandbox.resize(pid, known.columns(), known.rows());
                }
            }
        } catch (ApiException | TransportException e) {
            // The process ended; how, is told elsewhere.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        over.countDown();
    }
}
