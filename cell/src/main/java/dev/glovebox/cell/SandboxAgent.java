package dev.glovebox.cell;

import dev.glovebox.cell.fs.FsError;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The agent on one connection of a sandbox: reads frames, keeps the channels, and begins requests in the order
/// in which they come. One thread runs it; channels close from any.
final class SandboxAgent {
    private static final String NO_SUCH = "a cell does not do this; tiers that do are gvisor, microvm and jail";

    private final FrameSocket socket;
    private final Sandbox sandbox;
    private final CellServices services;
    private final FileRequests files;
    private final GuestRequests guests;
    private final Map<Integer, Channel> channels = new ConcurrentHashMap<>();

    SandboxAgent(FrameSocket socket, Sandbox sandbox, CellServices services) {
        this.socket = socket;
        this.sandbox = sandbox;
        this.services = services;
        files = new FileRequests(socket, sandbox.files(), this::forget);
        sandbox.network().onOver(this::forget);
        guests = new GuestRequests(socket, sandbox, services, this::forget);
    }

    /// Serves until the connection is over, then ends the sandbox.
    void serve() {
        try {
            socket.receive(this::frame);
        } catch (ProtocolException e) {
            services.log().error("the host broke the protocol", e);
            socket.sayGoodbye(Statuses.words(e));
        } catch (RuntimeException e) {
            services.log().error("a sandbox's connection failed", e);
        } finally {
            socket.close();
            sandbox.close();
            channels.values().forEach(Channel::cancel);
        }
    }

    private void forget(int channel) {
        channels.remove(channel);
    }

    private void frame(Frame frame) {
        switch (frame.type()) {
            case WELCOME -> {}
            case OPEN -> open(frame);
            case DATA, END, CREDIT, CONTROL, CANCEL -> {
                Channel channel = channels.get(frame.channel());
                if (channel != null) {
                    pass(frame, channel);
                }
            }
            case PING ->
                socket.send(new Frame(FrameType.PONG, 0, Protocol.CONTROL_CHANNEL, Pings.answer(frame.payload())));
            case PONG -> {}
            case GOODBYE -> socket.close();
            case SHARED -> throw new ProtocolException("a cell shares no memory with the host");
            case HELLO, CLOSE -> throw new ProtocolException("frame " + frame.type() + " is the agent's to send");
        }
    }

    private static void pass(Frame frame, Channel channel) {
        switch (frame.type()) {
            case DATA -> channel.data(frame.stream(), frame.payload());
            case END -> channel.end(frame.stream());
            case CREDIT -> {
                if (frame.payload().length != Integer.BYTES) {
                    throw new ProtocolException("credit is 4 bytes, not " + frame.payload().length);
                }
                channel.credit(frame.stream(), ByteBuffer.wrap(frame.payload()).getInt());
            }
            case CONTROL -> channel.control(Fields.decode(frame.payload()));
            default -> channel.cancel();
        }
    }

    private void open(Frame frame) {
        int number = frame.channel();
        if (number == Protocol.CONTROL_CHANNEL || channels.containsKey(number)) {
            throw new ProtocolException("channel " + number + " is in use");
        }
        if (channels.size() >= Protocol.CHANNELS_MAX) {
            throw new ProtocolException("more than " + Protocol.CHANNELS_MAX + " channels");
        }
        RequestKind kind = RequestKind.ofCode(frame.stream());
        Fields fields = Fields.decode(frame.payload());
        if (fields.flag(Tag.MORE)) {
            channels.put(number, new MoreFields(socket, number, frame.payload(), all -> {
                channels.remove(number);
                begin(kind, number, all);
            }));
        } else {
            begin(kind, number, fields);
        }
    }

    private void begin(RequestKind kind, int number, Fields fields) {
        try {
            switch (kind) {
                case PROCESS -> guests.process(number, fields, channels::put);
                case CONTEXT_OPEN -> guests.openContext(number, fields, channels::put);
                case EXECUTE -> guests.execute(number, fields, channels::put);
                case CONTEXT_CLOSE -> {
                    guests.closeContext(fields);
                    close(number, Fields.builder());
                }
                case READ -> files.read(number, fields, channels::put);
                case LIST -> files.list(number, fields, channels::put);
                case WRITE -> files.write(number, fields, channels::put);
                case STAT, MAKE_DIRECTORY, MOVE, REMOVE -> close(number, files.change(kind, fields));
                case CONFIGURE -> {
                    guests.configure(fields);
                    close(number, Fields.builder());
                }
                case METRICS -> close(number, metrics());
                case NETWORK -> sandbox.network().open(socket, number, fields, channels::put, this::forget);
                case OUTBOUND -> outbound(number, fields);
                case WATCH, CONNECT, FREEZE, THAW -> refuse(number, Status.UNSUPPORTED, NO_SUCH);
                case SPAWN -> refuse(number, Status.UNSUPPORTED, "only a cell's own connection takes SPAWN");
            }
        } catch (GloveboxException e) {
            refuse(number, Statuses.of(e.code()), Statuses.words(e));
        } catch (FsError e) {
            refuse(number, Statuses.of(e.errno()), Statuses.words(e));
        } catch (ProtocolException e) {
            refuse(number, Status.INVALID, Statuses.words(e));
        }
    }

    private void outbound(int number, Fields fields) {
        if (!sandbox.network().outbound(number, fields, channels::put)) {
            refuse(number, Status.CANCELLED, "nobody waits for it any more");
        } else if (fields.has(Tag.REASON)) {
            close(number, Fields.builder());
        }
    }

    private Fields.Builder metrics() {
        return Fields.builder()
                .number(Tag.USED_CPU_MICROS, sandbox.cpuNanos() / 1000)
                .number(Tag.USED_MEMORY_BYTES, sandbox.memoryBytes())
                .number(Tag.USED_DISK_BYTES, sandbox.files().usedBytes())
                .number(Tag.USED_FILES, sandbox.files().usedFiles())
                .number(Tag.RUNNING, sandbox.running());
    }

    private void close(int number, Fields.Builder fields) {
        fields.number(Tag.STATUS, Status.OK.code());
        socket.send(new Frame(FrameType.CLOSE, 0, number, fields.build().encode()));
    }

    private void refuse(int number, Status status, String message) {
        channels.remove(number);
        socket.send(new Frame(
                FrameType.CLOSE,
                0,
                number,
                Fields.builder()
                        .number(Tag.STATUS, status.code())
                        .text(Tag.MESSAGE, message)
                        .build()
                        .encode()));
    }
}
