package dev.glovebox.cell;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The cell's control connection: greets the host, and makes a sandbox for each SPAWN, on a connection of its
/// own.
final class CellConnection {
    private static final String AGENT = "cell";
    private static final int TOKEN_BYTES_MIN = 16;
    private static final int TOKEN_BYTES_MAX = 64;

    /// Opens one more connection to the host.
    interface Connector {
        SocketChannel connect() throws IOException;
    }

    private final FrameSocket socket;
    private final Connector connector;
    private final SandboxFactory factory;
    private final CellServices services;
    private final AtomicInteger sandboxes = new AtomicInteger();

    CellConnection(FrameSocket socket, Connector connector, SandboxFactory factory, CellServices services) {
        this.socket = socket;
        this.connector = connector;
        this.factory = factory;
        this.services = services;
    }

    /// Serves until the connection is over.
    void serve(byte[] token) {
        List<String> capabilities = new ArrayList<>(List.of("spawn"));
        for (Tier tier : List.of(Tier.WASM, Tier.ISOLATE)) {
            if (services.pool().has(new InterpreterPool.Kind(tier, Language.JAVASCRIPT))) {
                capabilities.add("tier:" + tier.word());
            }
        }
        greet(socket, token, capabilities);
        try {
            socket.receive(this::frame);
        } catch (ProtocolException e) {
            socket.sayGoodbye(Statuses.words(e));
        }
    }

    private static void greet(FrameSocket to, byte[] token, List<String> capabilities) {
        to.send(new Frame(
                FrameType.HELLO,
                0,
                Protocol.CONTROL_CHANNEL,
                Fields.builder()
                        .number(Tag.VERSION, Protocol.VERSION)
                        .bytes(Tag.TOKEN, token)
                        .text(Tag.AGENT, AGENT)
                        .texts(Tag.CAPABILITY, capabilities)
                        .build()
                        .encode()));
    }

    private void frame(Frame frame) {
        switch (frame.type()) {
            case WELCOME, PONG -> {}
            case PING ->
                socket.send(new Frame(FrameType.PONG, 0, Protocol.CONTROL_CHANNEL, Pings.answer(frame.payload())));
            case OPEN -> {
                RequestKind kind = RequestKind.ofCode(frame.stream());
                Fields fields = Fields.decode(frame.payload());
                Fields close = request(kind, fields);
                socket.send(new Frame(FrameType.CLOSE, 0, frame.channel(), close.encode()));
            }
            case CANCEL, DATA, END, CREDIT, CONTROL -> {} // its request is over already
            case GOODBYE -> socket.close();
            case SHARED -> throw new ProtocolException("a cell shares no memory with the host");
            case HELLO, CLOSE -> throw new ProtocolException("frame " + frame.type() + " is the agent's to send");
        }
    }

    private Fields request(RequestKind kind, Fields fields) {
        try {
            return switch (kind) {
                case SPAWN -> spawn(fields);
                case METRICS -> metrics();
                default -> failed(Status.UNSUPPORTED, "a cell's own connection takes SPAWN and METRICS only");
            };
        } catch (GloveboxException e) {
            return failed(Statuses.of(e.code()), Statuses.words(e));
        } catch (ProtocolException e) {
            return failed(Status.INVALID, Statuses.words(e));
        }
    }

    private Fields spawn(Fields fields) {
        long began = System.nanoTime();
        byte[] token = fields.bytes(Tag.TOKEN);
        if (token.length < TOKEN_BYTES_MIN || token.length > TOKEN_BYTES_MAX) {
            return failed(Status.INVALID, "a token is " + TOKEN_BYTES_MIN + " to " + TOKEN_BYTES_MAX + " bytes long");
        }
        SandboxFactory.Made made = factory.make(fields);
        SocketChannel channel;
        try {
            channel = connector.connect();
        } catch (IOException e) {
            made.sandbox().close();
            services.log().error("no connection for a sandbox", e);
            return failed(Status.FAILED, "the cell could not connect for the sandbox; its log says why");
        }
        Thread.ofVirtual().name("sandbox").start(() -> serve(new FrameSocket(channel), token, made.sandbox()));
        return Fields.builder()
                .number(Tag.STATUS, Status.OK.code())
                .flag(Tag.POOLED, made.pooled())
                .number(Tag.PHASE_MICROS, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began))
                .build();
    }

    private void serve(FrameSocket to, byte[] token, Sandbox sandbox) {
        sandboxes.incrementAndGet();
        try {
            List<String> capabilities = new ArrayList<>(List.of("files", "contexts"));
            for (Language language : Language.values()) {
                if (sandbox.has(language)) {
                    capabilities.add(language.word());
                }
            }
            greet(to, token, capabilities);
            new SandboxAgent(to, sandbox, services).serve();
        } finally {
            sandboxes.decrementAndGet();
        }
    }

    private Fields metrics() {
        return Fields.builder()
                .number(Tag.STATUS, Status.OK.code())
                .number(Tag.SANDBOXES, sandboxes.get())
                .number(Tag.RUNNING, services.scheduler().running())
                .number(Tag.QUEUED, services.scheduler().queued())
                .texts(Tag.WARM, services.pool().ready())
                .number(Tag.USED_MEMORY_BYTES, residentBytes())
                .build();
    }

    /// Memory of the process's own. Pages that it shares are left out: each interpreter maps the same 9 MB of image,
    /// and the kernel counts them once for every mapping.
    private static long residentBytes() {
        try {
            String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1);
            return (Long.parseLong(pages[1]) - Long.parseLong(pages[2])) * Linux.PAGE_BYTES;
        } catch (IOException | RuntimeException _) {
            return 0;
        }
    }

    private static Fields failed(Status status, String message) {
        return Fields.builder()
                .number(Tag.STATUS, status.code())
                .text(Tag.MESSAGE, message)
                .build();
    }
}
