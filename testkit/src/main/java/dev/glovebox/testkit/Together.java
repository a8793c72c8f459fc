package dev.glovebox.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Does things on several threads that begin at the same moment.
public final class Together {
    private Together() {}

    /// One thread's part.
    @FunctionalInterface
    public interface Part<T> {
        T run(int thread) throws Exception;
    }

    /// Runs `part` on `threads` threads and returns what each answered, in their order.
    ///
    /// @throws AssertionError with the first failure
    public static <T> List<T> run(int threads, Part<T> part) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Future<T>> futures = new ArrayList<>();
        try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                futures.add(tasks.submit(() -> {
                    start.await();
                    return part.run(number);
                }));
            }
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> future : futures) {
            answers.add(answer(future));
        }
        return answers;
    }

    private static <T> T answer(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException failure) {
            throw new AssertionError("one of the threads failed", failure.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        }
    }
}
