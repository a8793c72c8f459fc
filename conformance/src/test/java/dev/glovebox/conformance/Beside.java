package dev.glovebox.conformance;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// Something that goes on on a thread of its own.
record Beside<T>(CompletableFuture<T> future, Thread thread) {
    private static final long WAIT_SECONDS_MAX = 60;

    static <T> Beside<T> start(Supplier<T> action) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().name("beside").start(() -> {
            try {
                future.complete(action.get());
            } catch (RuntimeException | AssertionError e) {
                future.completeExceptionally(e);
            }
        });
        return new Beside<>(future, thread);
    }

    boolean isDone() {
        return future.isDone();
    }

    /// What came of it; what it threw is thrown here.
    T await() {
        try {
            return future.orTimeout(WAIT_SECONDS_MAX, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case TimeoutException _ -> throw new AssertionError("it takes longer than " + WAIT_SECONDS_MAX + " s");
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw e;
            }
        }
    }
}
