package dev.glovebox.cell;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The host's end of one connection, as simple as a test needs it. It grants credit as it receives, unless told not to.
final class HostConnection implements AutoCloseable {
    /// One request and what came back.
    final class Call {
        final int channel;
        final CompletableFuture<Fields> close = new CompletableFuture<>();
        final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        final ByteArrayOutputStream records = new ByteArrayOutputStream();
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        volatile boolean greedy = true;
        volatile long startedNanos;

        Call(int channel) {
            this.channel = channel;
        }

        String out() {
            return stdout.toString(StandardCharsets.UTF_8);
        }

        String err() {
            return stderr.toString(StandardCharsets.UTF_8);
        }

        Fields await() {
            try {
                return close.get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("no CLOSE within 60 s", e);
            }
        }

        /// The records, without the one that says that the guest started.
        List<Fields> results() {
            List<Fields> all = new ArrayList<>();
            ByteBuffer left = ByteBuffer.wrap(records.toByteArray());
            while (left.remaining() >= 4) {
                byte[] record = new byte[left.getInt()];
                left.get(record);
                Fields fields = Fields.decode(record);
                if (!fields.has(Tag.STARTED)) {
                    all.add(fields);
                }
            }
            return all;
        }

        void control(Fields fields) {
            send(new Frame(FrameType.CONTROL, 0, channel, fields.encode()));
        }

        void cancel() {
            send(Frame.of(FrameType.CANCEL, 0, channel));
        }

        void write(int stream, byte[] bytes) {
            for (int at = 0; at < bytes.length; at += Protocol.PAYLOAD_BYTES_MAX) {
                byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + Protocol.PAYLOAD_BYTES_MAX));
                send(new Frame(FrameType.DATA, stream, channel, part));
            }
        }

        void end(int stream) {
            send(Frame.of(FrameType.END, stream, channel));
        }

        private void receive(Frame frame) {
            switch (frame.type()) {
                case DATA -> {
                    ByteArrayOutputStream target = switch (frame.stream()) {
                        case Protocol.STDOUT -> stdout;
                        case Protocol.STDERR -> stderr;
                        case Protocol.RECORDS -> records;
                        default -> content;
                    };
                    if (frame.stream() == Protocol.RECORDS && startedNanos == 0) {
                        startedNanos = System.nanoTime();
                    }
                    target.writeBytes(frame.payload());
                    if (greedy) {
                        grant(channel, frame.stream(), frame.payload().length);
                    }
                }
                case CLOSE -> {
                    calls.remove(channel);
                    close.complete(Fields.decode(frame.payload()));
                }
                default -> {}
            }
        }
    }

    private final SocketChannel socket;
    private final Map<Integer, Call> calls = new ConcurrentHashMap<>();
    private final AtomicInteger lastChannel = new AtomicInteger();
    final CompletableFuture<String> goodbye = new CompletableFuture<>();

    /// @param socket a connection whose HELLO was read
    HostConnection(SocketChannel socket, FrameDecoder decoder) {
        this.socket = socket;
        send(new Frame(
                FrameType.WELCOME,
                0,
                0,
                Fields.builder().number(Tag.VERSION, Protocol.VERSION).build().encode()));
        Thread.ofVirtual().start(() -> receive(decoder));
    }

    private void receive(FrameDecoder decoder) {
        ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);
        try {
            while (socket.read(bytes) >= 0) {
                decoder.decode(bytes.flip(), this::frame);
                bytes.clear();
            }
        } catch (IOException _) {
            // over
        }
        goodbye.complete("");
        calls.values().forEach(call -> call.close.completeExceptionally(new IOException("connection over")));
    }

    private void frame(Frame frame) {
        if (frame.type() == FrameType.GOODBYE) {
            goodbye.complete(Fields.decode(frame.payload()).requiredText(Tag.MESSAGE));
        }
        Call call = calls.get(frame.channel());
        if (call != null) {
            call.receive(frame);
        }
    }

    Call open(RequestKind kind, Fields.Builder fields) {
        Call call = new Call(lastChannel.incrementAndGet());
        calls.put(call.channel, call);
        byte[] payload = fields.build().encode();
        if (payload.length <= Protocol.PAYLOAD_BYTES_MAX) {
            send(new Frame(FrameType.OPEN, kind.code(), call.channel, payload));
        } else {
            byte[] more = Fields.builder().flag(Tag.MORE, true).build().encode();
            send(new Frame(FrameType.OPEN, kind.code(), call.channel, more));
            ByteBuffer record = ByteBuffer.allocate(4 + payload.length);
            record.putInt(payload.length).put(payload);
            call.write(Protocol.RECORDS, record.array());
            call.end(Protocol.RECORDS);
        }
        return call;
    }

    void grant(int channel, int stream, int bytes) {
        send(new Frame(
                FrameType.CREDIT,
                stream,
                channel,
                ByteBuffer.allocate(4).putInt(bytes).array()));
    }

    synchronized void send(Frame frame) {
        ByteBuffer bytes = frame.encode();
        try {
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
        } catch (IOException _) {
            // the receiving side tells
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
