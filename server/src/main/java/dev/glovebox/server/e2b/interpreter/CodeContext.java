package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.wire.e2b.CodeContextInfo;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/// A context as clients know it. Its id lives as long as they want; the interpreter behind it may be another after it
/// was lost. One execution at a time. Thread-safe.
final class CodeContext {
    /// Executions that may wait for their turn.
    private static final int WAITING_MAX = 64;

    private final String id;
    private final CodeLanguage language;
    private final GuestPath directory;
    private final Kernel kernel;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final AtomicLong executions = new AtomicLong();

    CodeContext(String id, CodeLanguage language, GuestPath directory, Kernel kernel) {
        this.id = id;
        this.language = language;
        this.directory = directory;
        this.kernel = kernel;
    }

    String id() {
        return id;
    }

    CodeLanguage language() {
        return language;
    }

    CodeContextInfo info() {
        return new CodeContextInfo(id, language.word(), directory.value());
    }

    /// Makes its interpreter ready, if it is not.
    void open(Gateway gateway) {
        kernel.open(gateway);
    }

    /// Executes code when its turn has come.
    ///
    /// @param run is told when it begins, and what the code says
    Kernel.Answer execute(Gateway gateway, String code, Map<String, String> environment, Run run)
            throws InterruptedException {
        if (turn.getQueueLength() >= WAITING_MAX) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "context " + id + " has " + WAITING_MAX + " executions waiting, the bound: wait for one");
        }
        turn.lockInterruptibly();
        try {
            run.turn(executions.incrementAndGet());
            return kernel.execute(gateway, code, environment, run);
        } finally {
            turn.unlock();
        }
    }

    /// Who follows an execution.
    interface Run extends ExecutionSink {
        /// Its turn has come: it is the context's execution of this number.
        void turn(long number);
    }

    void interrupt(Gateway gateway) {
        kernel.interrupt(gateway);
    }

    void restart(Gateway gateway) {
        kernel.restart(gateway);
        executions.set(0);
    }

    void close(Gateway gateway) {
        kernel.close(gateway);
    }

    /// The gate, for one sandbox and in one's name.
    interface Gateway {
        <R> R execute(Command<R> command, ExecutionSink sink);

        dev.glovebox.core.SandboxId sandbox();

        dev.glovebox.core.ResourceLimits limits();

        default <R> R execute(Command<R> command) {
            return execute(command, ExecutionSink.DISCARD);
        }
    }
}
