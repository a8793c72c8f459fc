package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ProcessId;
import dev.glovebox.server.e2b.interpreter.CodeContext.Gateway;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One shell and what it says: whose the output is, and when the mark of an execution has come on both streams. Output
/// while nothing is executed is nobody's. Thread-safe.
final class BashSession {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final MarkedStream stdout;
    private final MarkedStream stderr;
    private @Nullable ProcessId process;
    private @Nullable ExecutionSink sink;
    private @Nullable RuntimeException failure;
    private @Nullable Outcome outcome;

    BashSession(String mark) {
        stdout = new MarkedStream(mark);
        stderr = new MarkedStream(mark);
    }

    /// Starts the shell, and returns when it takes input.
    void launch(Gateway gateway, Command.StartProcess command) {
        Thread.ofVirtual().name("e2b-bash").start(() -> {
            try {
                Execution.Result result = gateway.execute(command, new Sink());
                end(result.outcome(), null);
            } catch (RuntimeException e) {
                end(new Outcome.Killed("it could not be run"), e);
            }
        });
        lock.lock();
        try {
            while (process == null && outcome == null) {
                changed.awaitUninterruptibly();
            }
            if (failure != null) {
                throw failure;
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(Outcome how, @Nullable RuntimeException why) {
        lock.lock();
        try {
            outcome = how;
            failure = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean hasEnded() {
        lock.lock();
        try {
            return outcome != null;
        } finally {
            lock.unlock();
        }
    }

    ProcessId process() {
        lock.lock();
        try {
            if (process == null) {
                throw new GloveboxException(ErrorCode.PROCESS_NOT_FOUND, "the shell has not begun");
            }
            return process;
        } finally {
            lock.unlock();
        }
    }

    /// From here on, output belongs to an execution.
    void begin(ExecutionSink to) {
        lock.lock();
        try {
            stdout.begin();
            stderr.begin();
            sink = to;
        } finally {
            lock.unlock();
        }
    }

    /// The status of the code, when all that it wrote is handed on.
    int awaitStatus() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (outcome == null && (stdout.status() < 0 || stderr.status() < 0)) {
                changed.await();
            }
            if (stdout.status() >= 0) {
                return stdout.status();
            }
            if (failure != null) {
                throw failure;
            }
            if (outcome instanceof Outcome.BackendLost(String reason)) {
                throw new GloveboxException(ErrorCode.BACKEND_LOST, reason);
            }
            return outcome == null ? 0 : outcome.exitStatus();
        } finally {
            lock.unlock();
        }
    }

    void finish() {
        lock.lock();
        try {
            sink = null;
        } finally {
            lock.unlock();
        }
    }

    private void take(MarkedStream stream, byte[] bytes, boolean isError) {
        ExecutionSink to;
        byte[] own;
        lock.lock();
        try {
            to = sink;
            own = stream.push(bytes);
        } finally {
            lock.unlock();
        }
        // Not under the lock: a slow client holds the shell back, and nobody else.
        if (to != null && own.length > 0) {
            if (isError) {
                to.stderr(own);
            } else {
                to.stdout(own);
            }
        }
        lock.lock();
        try {
            stream.handedOn();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class Sink implements ExecutionSink {
        @Override
        public void started(ProcessId id) {
            lock.lock();
            try {
                process = id;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void stdout(byte[] bytes) {
            take(stdout, bytes, false);
        }

        @Override
        public void stderr(byte[] bytes) {
            take(stderr, bytes, true);
        }

        @Override
        public void result(MimeBundle bundle) {}
    }
}
