package dev.glovebox.bench;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.TransportException;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.RichResult;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A command in a sandbox that never ends by itself, followed on a thread of its own.
final class Endless {
    private static final long START_SECONDS_MAX = 30;

    private final Thread thread;

    private Endless(Thread thread) {
        this.thread = thread;
    }

    /// Starts it, and returns when the guest runs.
    static Endless start(Sandbox sandbox, String language, String code) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CommandRequest request =
                new CommandRequest(null, language, code, null, null, null, null, null, null, Runs.wall(600_000));
        Thread thread = Thread.ofVirtual().name("endless").start(() -> {
            try {
                sandbox.run(request, new OutputListener() {
                    @Override
                    public void started(long pid) {
                        started.countDown();
                    }

                    @Override
                    public void stdout(byte[] bytes) {}

                    @Override
                    public void stderr(byte[] bytes) {}

                    @Override
                    public void result(RichResult result) {}
                });
            } catch (ApiException | TransportException e) {
                // Its sandbox was killed, which is the point.
            }
        });
        if (!started.await(START_SECONDS_MAX, TimeUnit.SECONDS)) {
            thread.interrupt();
            throw new BenchException("an endless command did not start");
        }
        return new Endless(thread);
    }

    /// Waits until its answer has come.
    void awaitEnd() throws InterruptedException {
        if (!thread.join(java.time.Duration.ofSeconds(START_SECONDS_MAX))) {
            throw new BenchException("an endless command outlived its sandbox");
        }
    }
}
