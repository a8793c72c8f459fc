package dev.glovebox.backends;

import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Usage;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Follows a PROCESS or EXECUTE request to its end: hands output on as it comes, gives credit back, and holds the agent
/// to the guest's limits, because an agent that a guest took over would not. One use, one thread.
final class ExecutionCall {
    /// Output that an honest agent may still hand over beyond the limit: what one guest write can overshoot by.
    private static final long OUTPUT_SLACK_BYTES = 1024L * 1024L;

    /// The most that Linux counts to.
    private static final long PID_MAX = 1L << 22;

    private static final int RECORD_BYTES_MAX = Limits.RESULT_BYTES_MAX + 64 * 1024;

    private final AgentChannel channel;
    private final ResourceLimits limits;
    private final Patience patience;
    private final ExecutionSink sink;
    private final Observer observer;
    private final RecordReader records = new RecordReader(RECORD_BYTES_MAX);
    private Optional<ExecutionError> error = Optional.empty();
    private boolean started;
    private boolean pooled;
    private long outputBytes;
    private long deadlineNanos;

    /// What a kind of execution needs besides.
    interface Observer {
        /// Throws what a CLOSE says that is no outcome.
        void check(Fields close);

        /// The guest's clock started.
        default void started() {}
    }

    ExecutionCall(
            AgentChannel channel, ResourceLimits limits, Patience patience, ExecutionSink sink, Observer observer) {
        this.channel = channel;
        this.limits = limits;
        this.patience = patience;
        this.sink = sink;
        this.observer = observer;
    }

    /// The end of the request. The caller's thread may be interrupted to give it up.
    ///
    /// @throws Overdue if the agent did not end the guest at its limit: whoever hosts it must be ended
    /// @throws ProtocolException if it breaks the protocol: the same
    Execution.Result await() throws InterruptedException {
        deadlineNanos = System.nanoTime() + patience.admission().toNanos();
        while (true) {
            Duration rest = Duration.ofNanos(deadlineNanos - System.nanoTime());
            Optional<Frame> frame = channel.take(rest);
            if (frame.isEmpty()) {
                if (!started) {
                    throw new ProtocolException("it neither began nor refused to run a guest in time");
                }
                throw new Overdue(limits.wallTime());
            }
            if (frame.get().type() == FrameType.CLOSE) {
                return finish(Fields.decode(frame.get().payload()));
            }
            if (frame.get().type() == FrameType.DATA) {
                take(frame.get());
            }
        }
    }

    private Execution.Result finish(Fields close) {
        observer.check(close);
        Usage usage = Outcomes.usage(close);
        Outcome outcome = Outcomes.outcome(close);
        return new Execution.Result(outcome, usage, error, pooled || close.flag(Tag.POOLED));
    }

    private void take(Frame frame) {
        byte[] bytes = frame.payload();
        outputBytes += bytes.length;
        if (outputBytes > 2 * limits.outputBytes() + OUTPUT_SLACK_BYTES) {
            throw new ProtocolException("the agent did not hold its guest to " + limits.outputBytes() + " bytes");
        }
        switch (frame.stream()) {
            case Protocol.STDOUT -> sink.stdout(bytes);
            case Protocol.STDERR -> sink.stderr(bytes);
            case Protocol.RECORDS -> records.read(bytes, this::takeRecord);
            default -> throw new ProtocolException("an execution has no stream " + frame.stream());
        }
        channel.consumed(frame.stream(), bytes.length);
    }

    private void takeRecord(Fields fields) {
        if (fields.flag(Tag.STARTED)) {
            if (!started) {
                started = true;
                pooled = fields.flag(Tag.POOLED);
                deadlineNanos = System.nanoTime()
                        + limits.wallTime().plus(patience.grace()).toNanos();
                observer.started();
                sink.running(Math.clamp(fields.number(Tag.PROCESS_ID, 0), 0, PID_MAX));
            }
        } else if (fields.has(Tag.ERROR_NAME)) {
            error = Optional.of(new ExecutionError(
                    fields.requiredText(Tag.ERROR_NAME),
                    fields.text(Tag.ERROR_VALUE).orElse(""),
                    fields.text(Tag.ERROR_TRACEBACK).orElse("")));
        } else {
            sink.result(bundle(fields));
        }
    }

    private static MimeBundle bundle(Fields fields) {
        List<String> types = fields.texts(Tag.MIME_TYPE);
        List<String> contents = fields.texts(Tag.MIME_CONTENT);
        if (types.size() != contents.size()) {
            throw new ProtocolException("a result has " + types.size() + " types and " + contents.size() + " contents");
        }
        Map<String, String> data = new LinkedHashMap<>();
        for (int i = 0; i < types.size(); i++) {
            data.put(types.get(i), contents.get(i));
        }
        return new MimeBundle(fields.flag(Tag.MAIN_RESULT), data);
    }

    /// The agent let a guest run past its limit.
    static final class Overdue extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final Duration limit;

        Overdue(Duration limit) {
            this.limit = limit;
        }

        Duration limit() {
            return limit;
        }

        String words() {
            return "it did not end a guest at its limit of " + limit.toMillis() + " ms";
        }
    }
}
