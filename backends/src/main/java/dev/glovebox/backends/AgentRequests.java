package dev.glovebox.backends;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// Asks an agent for something and awaits its CLOSE; what the agent does wrong on the way ends its host. Thread-safe.
///
/// One request may go ahead of the first of the others, unanswered: then that one waits for both answers, and not one
/// after the other.
final class AgentRequests {
    private final AgentConnection connection;
    private final AgentSandbox.Host host;
    private final Patience patience;
    private final ReentrantLock lock = new ReentrantLock();
    /// What went ahead; empty when its answer has come.
    private volatile Optional<AgentChannel> ahead = Optional.empty();

    AgentRequests(AgentConnection connection, AgentSandbox.Host host, Patience patience) {
        this.connection = connection;
        this.host = host;
        this.patience = patience;
    }

    Patience patience() {
        return patience;
    }

    /// What happens on a channel from OPEN to CLOSE.
    interface Exchange<T> {
        T run(AgentChannel channel) throws InterruptedException;
    }

    /// What the agent may send before CLOSE.
    record Stream(int number, long bytesMax, ByteSink sink) {
        static final Stream NONE = new Stream(-1, 0, _ -> {});
    }

    /// Opens a channel for a request. Whatever the agent does wrong on it ends its host.
    <T> T exchange(RequestKind kind, Fields fields, Exchange<T> exchange) {
        try (AgentChannel channel = connection.open(kind, fields, patience.request())) {
            awaitAhead();
            return exchange.run(channel);
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
        } catch (GloveboxException refusal) {
            throw refusal.code() == ErrorCode.BACKEND_LOST ? refusal : named(refusal, fields);
        }
    }

    /// Opens a channel for a request that whoever asks follows.
    AgentChannel open(RequestKind kind, Fields fields) {
        try {
            return connection.open(kind, fields, patience.request());
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
        }
    }

    /// Opens a channel for a request that must succeed, and does not wait for that.
    void sendAhead(RequestKind kind, Fields fields) {
        try {
            ahead = Optional.of(connection.open(kind, fields, patience.request()));
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
        }
    }

    /// Waits until what went ahead has succeeded. If it did not, nobody can use the sandbox.
    ///
    /// @throws GloveboxException what the agent refused it with, or BACKEND_LOST
    void settle() {
        try {
            awaitAhead();
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
        }
    }

    private void awaitAhead() throws InterruptedException {
        if (ahead.isEmpty()) {
            return;
        }
        lock.lockInterruptibly();
        try {
            if (ahead.isPresent()) {
                awaitClose(ahead.get(), patience.request());
                ahead.get().close();
                ahead = Optional.empty();
            }
        } catch (GloveboxException refusal) {
            host.condemn("it cannot be set up: " + refusal.getMessage());
            throw refusal;
        } finally {
            lock.unlock();
        }
    }

    /// The agent's words never repeat what it was given; a caller wants to read which file or program it was.
    private static GloveboxException named(GloveboxException refusal, Fields fields) {
        return fields.text(Tag.PATH)
                .or(() -> program(fields))
                .map(given -> new GloveboxException(
                        refusal.code(), Outcomes.printable(given) + ": " + refusal.getMessage(), refusal))
                .orElse(refusal);
    }

    /// Of a process that runs a program; what runs code is named by what the agent says.
    private static Optional<String> program(Fields fields) {
        return fields.has(Tag.LANGUAGE)
                ? Optional.empty()
                : fields.texts(Tag.ARGUMENT).stream().findFirst();
    }

    <T> T call(RequestKind kind, Fields fields, Function<Fields, T> answer) {
        return exchange(kind, fields, channel -> answer.apply(awaitClose(channel, Stream.NONE, patience.request())));
    }

    /// The fields of a CLOSE, before which nothing comes.
    static Fields awaitClose(AgentChannel channel, Duration patience) throws InterruptedException {
        return awaitClose(channel, Stream.NONE, patience);
    }

    static Fields awaitClose(AgentChannel channel, Stream content, Duration patience) throws InterruptedException {
        long total = 0;
        while (true) {
            Frame frame = next(channel, patience);
            if (frame.type() == FrameType.CLOSE) {
                return closing(frame);
            }
            int stream = frame.stream();
            byte[] bytes = frame.payload();
            checkStream(frame, content.number());
            total += bytes.length;
            checkTotal(total, content.bytesMax());
            content.sink().write(bytes);
            channel.consumed(stream, bytes.length);
        }
    }

    static void checkStream(Frame data, int expected) {
        if (data.stream() != expected) {
            throw new ProtocolException("this request has no stream " + data.stream());
        }
    }

    /// The next frame of an answer.
    static Frame next(AgentChannel channel, Duration patience) throws InterruptedException {
        return channel.take(patience)
                .orElseThrow(() -> new ProtocolException("it did not answer in " + patience.toSeconds() + " s"));
    }

    /// The fields of a CLOSE that says that all went well.
    static Fields closing(Frame close) {
        Fields fields = Fields.decode(close.payload());
        Outcomes.check(fields);
        return fields;
    }

    static void checkTotal(long total, long bytesMax) {
        if (total > bytesMax) {
            throw new GloveboxException(
                    ErrorCode.TOO_LARGE, "the answer is longer than " + bytesMax + " bytes: ask for it in parts");
        }
    }

    GloveboxException condemned(ProtocolException broken) {
        host.condemn(broken.getMessage());
        return new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + broken.getMessage(), broken);
    }

    static GloveboxException interrupted() {
        Thread.currentThread().interrupt();
        return new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
    }
}
