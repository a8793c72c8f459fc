package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// A cell in a jail of its own: namespaces without a network, a root with nothing in it but what a cell reads, no
/// privileges, the same filter of system calls as for the tier `jail`. The supervisor has started it.
final class JailedCellProcess implements CellProcess {
    private final Supervisor supervisor;
    private final String id;
    private final long pid;
    private final CompletableFuture<Supervisor.Ended> end;

    private JailedCellProcess(Supervisor supervisor, String id, long pid, CompletableFuture<Supervisor.Ended> end) {
        this.supervisor = supervisor;
        this.id = id;
        this.pid = pid;
        this.end = end;
    }

    /// Starts one and returns when its program runs.
    static JailedCellProcess start(Supervisor supervisor, StartRequest request, Duration atMost)
            throws InterruptedException {
        Events events = new Events();
        CompletableFuture<Supervisor.Ended> end = supervisor.start(request, events);
        try {
            long pid = events.pid.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            return new JailedCellProcess(supervisor, request.id(), pid, end);
        } catch (ExecutionException | TimeoutException failure) {
            supervisor.kill(request.id());
            String why = failure.getCause() == null
                    ? "it did not start in time"
                    : String.valueOf(failure.getCause().getMessage());
            throw new GloveboxException(ErrorCode.TIER_UNAVAILABLE, "a cell could not be started in its jail: " + why);
        }
    }

    private static final class Events implements Supervisor.Events {
        private final CompletableFuture<Long> pid = new CompletableFuture<>();

        @Override
        public void started(Supervisor.Started what) {
            pid.complete(what.pid());
        }

        @Override
        public void logged(String line) {
            CellLog.says(pid.getNow(-1L), line);
        }

        @Override
        public void over(String why) {
            pid.completeExceptionally(new IllegalStateException(why));
        }
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public boolean isAlive() {
        return !end.isDone();
    }

    @Override
    public void onEnd(Consumer<String> action) {
        var _ = end.thenAccept(ended -> action.accept(ended.words()));
    }

    @Override
    public void kill() {
        supervisor.kill(id);
    }

    @Override
    public boolean awaitEnd(Duration atMost) throws InterruptedException {
        try {
            end.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        }
    }
}
