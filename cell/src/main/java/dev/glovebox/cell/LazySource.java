package dev.glovebox.cell;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A source that is made when it is first needed: a cell that runs Python once need not compile QuickJS. Thread-safe.
final class LazySource implements InterpreterSource {
    private final Supplier<InterpreterSource> make;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable InterpreterSource made;

    LazySource(Supplier<InterpreterSource> make) {
        this.make = make;
    }

    /// Makes it now, on a thread of its own.
    void prime() {
        Thread.ofPlatform().name("prime").daemon().start(this::source);
    }

    private InterpreterSource source() {
        InterpreterSource known = made;
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            InterpreterSource first = made;
            if (first == null) {
                first = make.get();
                made = first;
            }
            return first;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Interpreter create(InterpreterHome home) {
        return source().create(home);
    }

    @Override
    public Warm prepare() {
        return source().prepare();
    }

    @Override
    public void exercise() {
        source().exercise();
    }

    @Override
    public boolean renew() {
        InterpreterSource known = made;
        return known != null && known.renew();
    }

    @Override
    public boolean tidy() {
        InterpreterSource known = made;
        return known != null && known.tidy();
    }

    @Override
    public void close() {
        InterpreterSource known = made;
        if (known != null) {
            known.close();
        }
    }
}
