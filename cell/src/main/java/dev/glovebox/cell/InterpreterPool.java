package dev.glovebox.cell;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Keeps some interpreters of each kind ready, never used and probed. One thread of low priority refills it, so
/// that it never takes a processor from a guest: under full load there are misses, and a fresh interpreter
/// costs its run about 2 ms. Thread-safe.
final class InterpreterPool implements AutoCloseable {
    private static final int REFILL_NICE = 5;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PRESSED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /// What is to be renewed waits for a quiet moment, but not longer than this.
    private static final long RENEWAL_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /// After a failure, so that a broken source does not fill the log.
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// Which interpreter.
    record Kind(Tier tier, Language language) {
        /// The word by which the pool's size is set and shown.
        String word() {
            if (tier == Tier.ISOLATE) {
                return language == Language.JAVASCRIPT ? tier.word() : tier.word() + "-" + language.word();
            }
            return language.word();
        }
    }

    private static final class Shelf {
        private final InterpreterSource source;
        private final int size;
        private final ConcurrentLinkedDeque<InterpreterSource.Warm> ready = new ConcurrentLinkedDeque<>();
        private long notBeforeNanos = System.nanoTime();

        Shelf(InterpreterSource source, int size) {
            this.source = source;
            this.size = size;
        }
    }

    private final Map<Kind, Shelf> shelves = new ConcurrentHashMap<>();
    private final CellLog log;
    private final BooleanSupplier isPressed;
    private final Thread thread;
    private volatile boolean closed;

    /// @param isPressed whether guests wait for a processor: nothing is prepared then
    InterpreterPool(CellLog log, BooleanSupplier isPressed) {
        this.log = log;
        this.isPressed = isPressed;
        thread = Thread.ofPlatform().name("refill").daemon().unstarted(this::refill);
    }

    /// Adds a source, before [#start()]. The pool closes it.
    void add(Kind kind, InterpreterSource source, int size) {
        shelves.put(kind, new Shelf(source, size));
    }

    void start() {
        thread.start();
    }

    boolean has(Kind kind) {
        return shelves.containsKey(kind);
    }

    /// A warm interpreter for a sandbox that has these files, or null if none is ready.
    InterpreterSource.@Nullable Warm take(Kind kind, MemoryFileSystem files) {
        return take(kind, warm -> warm.files() == null || warm.files() == files);
    }

    /// A warm interpreter for whom it fits, or null if none is ready that does.
    InterpreterSource.@Nullable Warm take(Kind kind, Predicate<InterpreterSource.Warm> fits) {
        Shelf shelf = shelves.get(kind);
        InterpreterSource.Warm first = shelf == null ? null : shelf.ready.peekFirst();
        // All of one shelf are alike, so the first one speaks for them.
        InterpreterSource.Warm warm =
                shelf == null || first == null || !fits.test(first) ? null : shelf.ready.pollFirst();
        if (warm != null) {
            LockSupport.unpark(thread);
        }
        return warm;
    }

    /// A fresh interpreter, made on the calling thread.
    Interpreter create(Kind kind, InterpreterHome home) {
        Shelf shelf = shelves.get(kind);
        if (shelf == null) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "this cell has no " + kind.language().word() + " in tier "
                            + kind.tier().word());
        }
        return shelf.source.create(home);
    }

    /// What is ready, for example `python=4`.
    List<String> ready() {
        List<String> words = new ArrayList<>();
        shelves.forEach((kind, shelf) -> {
            if (shelf.size > 0) {
                words.add(kind.word() + "=" + shelf.ready.size());
            }
        });
        return words;
    }

    private void refill() {
        Linux.setNice(Linux.threadId(), REFILL_NICE);
        Deque<InterpreterSource> unexercised = new ArrayDeque<>();
        // What no pool is kept of is not used much: it is not worth a second of a processor.
        shelves.values().stream().filter(shelf -> shelf.size > 0).forEach(shelf -> unexercised.add(shelf.source));
        long lookedNanos = System.nanoTime();
        while (!closed) {
            boolean pressed = isPressed.getAsBoolean();
            boolean busy = !pressed && refillAll();
            if (!(pressed || busy) || System.nanoTime() - lookedNanos > RENEWAL_PATIENCE_NANOS) {
                busy |= renewOne();
                lookedNanos = System.nanoTime();
            }
            if (pressed) {
                LockSupport.parkNanos(this, PRESSED_NANOS);
                continue;
            }
            InterpreterSource next = busy ? null : unexercised.poll();
            if (next != null) {
                exercise(next);
            } else if (!busy) {
                LockSupport.parkNanos(this, REST_NANOS);
            }
        }
    }

    private void exercise(InterpreterSource source) {
        try {
            source.exercise();
        } catch (RuntimeException e) {
            log.error("an interpreter could not be exercised", e);
        }
    }

    private boolean refillAll() {
        boolean busy = false;
        for (Shelf shelf : shelves.values()) {
            busy |= refillOne(shelf);
            busy |= shelf.source.tidy();
        }
        return busy;
    }

    private boolean renewOne() {
        for (Shelf shelf : shelves.values()) {
            try {
                if (shelf.size > 0 && shelf.source.renew()) {
                    return true;
                }
            } catch (RuntimeException e) {
                log.error("an interpreter's image could not be renewed; the one before stays in use", e);
            }
        }
        return false;
    }

    private boolean refillOne(Shelf shelf) {
        InterpreterSource.Warm outdated = outdated(shelf);
        if ((outdated == null && shelf.ready.size() >= shelf.size) || System.nanoTime() < shelf.notBeforeNanos) {
            return false;
        }
        try {
            shelf.ready.addLast(shelf.source.prepare());
            // Only now, so that the shelf is never empty for that.
            if (outdated != null && shelf.ready.removeFirstOccurrence(outdated)) {
                outdated.close();
            }
            return true;
        } catch (RuntimeException e) {
            log.error("an interpreter for the pool could not be made", e);
            shelf.notBeforeNanos = System.nanoTime() + FAILURE_NANOS;
            return false;
        }
    }

    private static InterpreterSource.@Nullable Warm outdated(Shelf shelf) {
        for (InterpreterSource.Warm warm : shelf.ready) {
            if (!warm.isCurrent()) {
                return warm;
            }
        }
        return null;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        for (Shelf shelf : shelves.values()) {
            shelf.ready.forEach(InterpreterSource.Warm::close);
            shelf.source.close();
        }
    }
}
