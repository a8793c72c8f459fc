package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The Unix-domain socket that agents connect back to. Which agent a connection is, its token says: 256 random bits
/// that are expected once. A connection without an expected token is closed. Thread-safe.
final class AgentListener implements AutoCloseable {
    private static final int TOKEN_BYTES = 32;
    private static final int BACKLOG = 256;
    /// Connections that have not said who they are yet; a subverted agent could open any number.
    private static final int GREETINGS_MAX = 128;

    private static final Duration GREETING_MAX = Duration.ofSeconds(10);

    /// A token that an agent will say, and the connection that it will be. Closing it gives the wait up.
    final class Expected implements AutoCloseable {
        private final byte[] token;
        private final String key;
        private final CompletableFuture<AgentConnection> arrival = new CompletableFuture<>();
        private boolean taken;

        private Expected(byte[] token) {
            this.token = token;
            this.key = keyOf(token);
        }

        byte[] token() {
            return token.clone();
        }

        String tokenHex() {
            return HexFormat.of().formatHex(token);
        }

        /// Waits for the agent; its connection then belongs to the caller.
        ///
        /// @throws GloveboxException BACKEND_LOST if it does not come in time
        AgentConnection take(Duration atMost) throws InterruptedException {
            try {
                AgentConnection connection = arrival.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
                taken = true;
                return connection;
            } catch (TimeoutException | ExecutionException failure) {
                throw new GloveboxException(
                        ErrorCode.BACKEND_LOST,
                        "an agent did not connect within " + atMost.toMillis() + " ms",
                        failure);
            }
        }

        @Override
        public void close() {
            expected.remove(key);
            boolean came = !arrival.cancel(false) && !arrival.isCompletedExceptionally();
            if (came && !taken) {
                arrival.join().close();
            }
        }
    }

    private final Path path;
    private final ServerSocketChannel server;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();
    private final Semaphore greetings = new Semaphore(GREETINGS_MAX);

    private AgentListener(Path path, ServerSocketChannel server) {
        this.path = path;
        this.server = server;
    }

    /// Listens at a path that does not exist yet, in a directory that only this user can enter.
    static AgentListener open(Path path) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
        } catch (IOException | RuntimeException failure) {
            server.close();
            throw failure;
        }
        AgentListener listener = new AgentListener(path, server);
        Thread.ofVirtual().name("agents-accept").start(listener::acceptLoop);
        return listener;
    }

    Path path() {
        return path;
    }

    Expected expect() {
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        Expected agent = new Expected(token);
        expected.put(agent.key, agent);
        return agent;
    }

    private void acceptLoop() {
        try {
            while (true) {
                SocketChannel socket = server.accept();
                if (greetings.tryAcquire()) {
                    Thread.ofVirtual().name("agent-greeting").start(() -> greet(socket));
                } else {
                    close(socket);
                }
            }
        } catch (IOException _) {
            // Closed: this thread's only way to end.
        }
    }

    private void greet(SocketChannel socket) {
        boolean welcome = false;
        Thread alarm = Thread.ofVirtual().name("agent-greeting-alarm").start(() -> closeLate(socket));
        try {
            FrameDecoder decoder = new FrameDecoder();
            Frame hello = readHello(socket, decoder);
            alarm.interrupt();
            alarm.join();
            welcome = welcome(socket, decoder, Fields.decode(hello.payload()));
        } catch (IOException | ProtocolException | InterruptedException _) {
            // Whoever it was, it did not say what an agent says.
        } finally {
            alarm.interrupt();
            greetings.release();
            if (!welcome) {
                close(socket);
            }
        }
    }

    private static void closeLate(SocketChannel socket) {
        try {
            Thread.sleep(GREETING_MAX);
            close(socket);
        } catch (InterruptedException _) {
            // The greeting came in time.
        }
    }

    private static Frame readHello(SocketChannel socket, FrameDecoder decoder) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(Protocol.HEADER_BYTES + 4096);
        List<Frame> frames = new ArrayList<>();
        while (frames.isEmpty()) {
            if (socket.read(buffer) < 0) {
                throw new ProtocolException("the connection ended before a greeting");
            }
            decoder.decode(buffer.flip(), frames::add);
            buffer.clear();
        }
        Frame hello = frames.getFirst();
        if (frames.size() > 1 || hello.type() != FrameType.HELLO || !decoder.isBetweenFrames()) {
            throw new ProtocolException("an agent says HELLO and then waits");
        }
        return hello;
    }

    private boolean welcome(SocketChannel socket, FrameDecoder decoder, Fields hello) {
        if (hello.requiredNumber(Tag.VERSION) != Protocol.VERSION) {
            return false;
        }
        Expected agent = expected.remove(keyOf(hello.bytes(Tag.TOKEN)));
        if (agent == null) {
            return false;
        }
        AgentConnection connection = new AgentConnection(socket);
        connection.send(new Frame(
                FrameType.WELCOME,
                0,
                0,
                Fields.builder().number(Tag.VERSION, Protocol.VERSION).build().encode()));
        connection.start("agent", decoder);
        if (!agent.arrival.complete(connection)) {
            connection.close();
        }
        return true;
    }

    /// Tokens are looked up by their hash, so that how long a look-up takes says nothing about them.
    private static String keyOf(byte[] token) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(token));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }

    private static void close(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to do for it.
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
        } catch (IOException failure) {
            throw new GloveboxException(ErrorCode.INTERNAL, "the agents' socket could not be removed", failure);
        }
    }
}
