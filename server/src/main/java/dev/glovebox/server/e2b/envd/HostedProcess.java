package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.SandboxId;
import dev.glovebox.engine.Gate;
import dev.glovebox.wire.e2b.ProcessConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A process that runs for whoever reads it, and on if nobody does: it belongs to no request. Thread-safe.
final class HostedProcess {
    /// Held while somebody writes to its standard input, so that two writes do not mix.
    final ReentrantLock input = new ReentrantLock(true);

    private final Execution.ProcessSpec spec;
    private final ProcessConfig config;
    private final Optional<String> tag;
    private final Fanout fanout;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable ProcessId id;
    private volatile long pid;

    /// What is done when it has begun, and when it has ended.
    interface Life {
        void begun(HostedProcess process);

        /// Whether its sandbox still runs. If not, how it ended is not to be told: it is the sandbox that ended.
        boolean ended(HostedProcess process);
    }

    HostedProcess(Execution.ProcessSpec spec, ProcessConfig config, Optional<String> tag, Backlogs backlogs) {
        this.fanout = new Fanout(Fanout.Limit.PRODUCT, backlogs);
        this.spec = spec;
        this.config = config;
        this.tag = tag;
    }

    ProcessConfig config() {
        return config;
    }

    Optional<String> tag() {
        return tag;
    }

    Fanout fanout() {
        return fanout;
    }

    boolean hasTerminal() {
        return spec.terminal().isPresent();
    }

    boolean takesInput() {
        return spec.takesInput();
    }

    /// By which number the sandbox' own programs know it.
    long pid() {
        return pid;
    }

    /// By which the gate knows it.
    ProcessId id() {
        ProcessId known = id;
        if (known == null) {
            throw new IllegalStateException("the process has not begun");
        }
        return known;
    }

    /// Starts it, on a thread of its own.
    void launch(Gate gate, Principal principal, SandboxId sandbox, Life life) {
        Command.StartProcess command = new Command.StartProcess(sandbox, spec);
        Thread.ofVirtual().name("e2b-process").start(() -> {
            ProcessEvent end;
            try {
                Execution.Result result = gate.execute(principal, command, new Sink(life));
                end = ProcessEnds.event(result.outcome());
            } catch (RuntimeException e) {
                end = new ProcessEvent.Failed(e);
            } catch (Error e) {
                finish(life, new ProcessEvent.Failed(new IllegalStateException(e)));
                throw e;
            }
            finish(life, end);
        });
    }

    private void finish(Life life, ProcessEvent end) {
        boolean isTold = life.ended(this);
        fanout.finish(
                isTold
                        ? end
                        : new ProcessEvent.Failed(new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox ended")));
        ended.countDown();
    }

    /// Waits a while until it has ended and is forgotten as one that runs.
    void awaitEnd(Duration patience) throws InterruptedException {
        ended.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Hands on what the process says. Before it runs, its end is no end of a process but a failure to start.
    private final class Sink implements ExecutionSink {
        private final Life life;

        Sink(Life life) {
            this.life = life;
        }

        @Override
        public void started(ProcessId process) {
            id = process;
        }

        @Override
        public void running(long guestPid) {
            pid = guestPid > 0 ? guestPid : id().value();
            life.begun(HostedProcess.this);
            fanout.start(new ProcessEvent.Started(pid));
        }

        @Override
        public void stdout(byte[] bytes) {
            fanout.publish(new ProcessEvent.Output(false, bytes));
        }

        @Override
        public void stderr(byte[] bytes) {
            fanout.publish(new ProcessEvent.Output(true, bytes));
        }

        @Override
        public void result(MimeBundle bundle) {}
    }

    /// Refuses what only a process with open input takes.
    void requireInput() {
        if (!takesInput()) {
            throw new ConnectFailure(
                    ConnectCode.FAILED_PRECONDITION,
                    "the process with pid " + pid + " was started without standard input: start it with stdin");
        }
    }

    /// That a process has ended is the same to a caller as that it is not there.
    static RuntimeException missing(GloveboxException e, long pid) {
        return e.code() == ErrorCode.PROCESS_NOT_FOUND ? ProcessHub.notFound("pid " + pid) : e;
    }
}
