package dev.glovebox.cell;

import dev.glovebox.cell.net.Connection;
import dev.glovebox.cell.net.ConnectionFailed;
import dev.glovebox.cell.net.GuestNetwork;
import dev.glovebox.cell.net.Trust;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/// The network of one sandbox: open while the host keeps a NETWORK request open, on which it is told what
/// guests want to connect to. It answers each wish with an OUTBOUND request. Thread-safe.
final class Outbound implements GuestNetwork, AutoCloseable {
    private final AtomicReference<@Nullable Wishes> current = new AtomicReference<>();
    private final AtomicLong lastNumber = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private final Map<Long, OutboundConnection> awaited = new ConcurrentHashMap<>();
    private final Map<OutboundConnection, Long> all = new ConcurrentHashMap<>();

    private volatile IntConsumer onOver = number -> {};

    /// The open NETWORK request.
    private final class Wishes implements Channel {
        private final FrameSocket socket;
        private final ChannelOutput output;
        private final Trust trust;
        private final Runnable forget;

        Wishes(FrameSocket socket, int channel, Trust trust, Runnable forget) {
            this.socket = socket;
            this.trust = trust;
            this.forget = forget;
            output = new ChannelOutput(socket, channel, Runnable::run);
        }

        @Override
        public void credit(int stream, int bytes) {
            output.grant(stream, bytes);
        }

        @Override
        public void cancel() {
            boolean _ = current.compareAndSet(this, null);
            output.finish(Fields.builder()
                    .number(Tag.STATUS, Status.CANCELLED.code())
                    .text(Tag.MESSAGE, "cancelled by the host")
                    .build());
            forget.run();
        }

        void send(Fields wish) {
            output.record(wish);
            output.drain();
        }
    }

    // ---- requests of the host, on the connection's thread

    /// @param forget takes a channel out of the connection's list
    void open(FrameSocket socket, int number, Fields fields, BiConsumer<Integer, Channel> add, IntConsumer forget) {
        List<byte[]> trust = fields.all(Tag.TRUST);
        if (trust.stream().mapToLong(pem -> pem.length).sum() > Limits.TRUST_BYTES_MAX) {
            throw new GloveboxException(
                    ErrorCode.TOO_LARGE, "more than " + Limits.TRUST_BYTES_MAX + " bytes of certificates");
        }
        Wishes opened = new Wishes(socket, number, new Trust(trust), () -> forget.accept(number));
        if (!current.compareAndSet(null, opened)) {
            throw new GloveboxException(ErrorCode.ALREADY_EXISTS, "the network of this sandbox is open already");
        }
        add.accept(number, opened);
    }

    /// Takes a connection that the host made, or its refusal.
    ///
    /// @return false if the guest waits for it no more
    boolean outbound(int number, Fields fields, BiConsumer<Integer, Channel> add) {
        OutboundConnection connection = awaited.remove(fields.requiredNumber(Tag.CONNECTION));
        if (connection == null) {
            return false;
        }
        if (fields.has(Tag.REASON)) {
            connection.fail(new ConnectionFailed(
                    fields.text(Tag.RULE).orElse(""), fields.text(Tag.REASON).orElse("")));
            return true;
        }
        add.accept(number, connection);
        return connection.opened(number);
    }

    // ---- for guests

    @Override
    public boolean isOpen() {
        return current.get() != null;
    }

    private Wishes wishes() throws ConnectionFailed {
        Wishes now = current.get();
        if (now == null) {
            throw new ConnectionFailed("", CLOSED_WORDS);
        }
        return now;
    }

    @Override
    public SSLSocketFactory trust() throws IOException {
        return wishes().trust.factory();
    }

    @Override
    public Connection connect(String host, int port) throws IOException {
        Wishes now = wishes();
        if (host.isEmpty() || host.length() > Limits.HOST_CHARS_MAX || port < 1 || port > 65_535) {
            throw new ConnectionFailed("", "a connection goes to a host and a port from 1 to 65535");
        }
        if (open.incrementAndGet() > Limits.CELL_CONNECTIONS_MAX) {
            open.decrementAndGet();
            throw new ConnectionFailed(
                    "",
                    "this sandbox has " + Limits.CELL_CONNECTIONS_MAX + " connections, which is the bound: close one");
        }
        long number = lastNumber.incrementAndGet();
        OutboundConnection connection = new OutboundConnection(now.socket, over -> over(over, number));
        all.put(connection, number);
        awaited.put(number, connection);
        now.send(Fields.builder()
                .number(Tag.CONNECTION, number)
                .text(Tag.HOST, host)
                .number(Tag.PORT, port)
                .build());
        if (current.get() != now) {
            connection.fail(new ConnectionFailed("", CLOSED_WORDS));
        }
        return connection;
    }

    private void over(OutboundConnection connection, long number) {
        open.decrementAndGet();
        awaited.remove(number);
        all.remove(connection);
        onOver.accept(connection.number());
    }

    /// @param forget takes a channel out of the connection's list
    void onOver(IntConsumer forget) {
        onOver = forget;
    }

    /// Ends all connections: the sandbox is over.
    @Override
    public void close() {
        current.set(null);
        all.keySet().forEach(OutboundConnection::close);
    }
}
