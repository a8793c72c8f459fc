package dev.glovebox.cell;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/// Does what is left to do for guests that were put behind all others and have ended: a thread of low priority
/// would take a tenth of a second for it, and a collection of the heap waits for every thread that is in Java
/// meanwhile. One thread of full priority. Thread-safe; handing something in takes no lock.
final class Closer {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final CellLog log;
    private final Thread thread;

    Closer(CellLog log) {
        this.log = log;
        thread = Thread.ofPlatform().name("closer").daemon().unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    void close(Runnable closing) {
        waiting.add(closing);
        LockSupport.unpark(thread);
    }

    private void work() {
        while (true) {
            Runnable next = waiting.poll();
            if (next == null) {
                LockSupport.park(this);
                continue;
            }
            try {
                next.run();
            } catch (RuntimeException e) {
                log.error("what a guest left could not be closed", e);
            }
        }
    }
}
