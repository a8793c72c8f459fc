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
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The Unix-domain socket that agents connect back to. Which agent a connection is, its token says: 256 random bits
/// that are expected once. A connection without an expected token is closed. Thread-safe.
final class AgentListener implements AutoCloseable {
    private static final int TOKEN_BYTES = 32;
    private static final int BACKLOG = 256;
    /// Connections that have not said who they are yet; a subverted agent could open any number. One more takes the
    /// place of the oldest, so that silent ones keep nobody out.
    private static final int GREETINGS_MAX = 128;
    /// What each of them is given at least, however many others come.
    private static final Duration GREETING_MIN = Duration.ofMillis(250);

    private static final Duration GREETING_MAX = Duration.ofSeconds(10);
    /// Before the next try when a connection could not be accepted, for example for want of descriptors.
    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(50);

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
            } catch (TimeoutException late) {
                throw new GloveboxException(
                        ErrorCode.BACKEND_LOST, "an agent did not connect within " + atMost.toMillis() + " ms", late);
            } catch (ExecutionException givenUp) {
                throw new GloveboxException(
                        ErrorCode.BACKEND_LOST, "an agent did not connect: " + reason(givenUp), givenUp);
            }
        }

        private static String reason(ExecutionException givenUp) {
            return givenUp.getCause() instanceof GloveboxException refusal ? refusal.getMessage() : "it failed";
        }

        /// The agent will not come: whoever waits for it is told why.
        void giveUp(String why) {
            arrival.completeExceptionally(new GloveboxException(ErrorCode.BACKEND_LOST, why));
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
    /// As much as a connection writes at once, twice: an agent is woken for many bytes and not for few.
    private static final int SEND_BYTES = 512 * 1024;

    private final ServerSocketChannel server;
    private final Duration greetingMax;
    private final IoThreads threads;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();
    /// Connections that have not greeted yet, oldest first, with the time of their coming.
    private final Map<SocketChannel, Long> greeting = new LinkedHashMap<>();

    private volatile boolean closed;

    private AgentListener(Path path, ServerSocketChannel server, Duration greetingMax, IoThreads threads) {
        this.path = path;
        this.server = server;
        this.greetingMax = greetingMax;
        this.threads = threads;
    }

    /// Listens at a path that does not exist yet, in a directory that only this user can enter.
    static AgentListener open(Path path, IoThreads threads) throws IOException {
        return open(path, threads, GREETING_MAX);
    }

    /// For tests, which do not wait as long for a greeting.
    static AgentListener open(Path path, IoThreads threads, Duration greetingMax) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            // A jailed cell is nobody of this host. The directory keeps everybody else out, and tokens everybody.
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        } catch (IOException | RuntimeException failure) {
            server.close();
            throw failure;
        }
        AgentListener listener = new AgentListener(path, server, greetingMax, threads);
        threads.start("agents-accept", listener::acceptLoop);
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
        if (closed) {
            agent.giveUp("this server is stopping");
        }
        return agent;
    }

    private void acceptLoop() {
        while (!closed) {
            try {
                SocketChannel socket = server.accept();
                // The kernel takes less if it must.
                socket.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BYTES);
                makeRoom();
                synchronized (greeting) {
                    greeting.put(socket, System.nanoTime());
                }
                threads.start("agent-greeting", () -> greet(socket));
            } catch (IOException _) {
                if (!closed) {
                    pause(ACCEPT_PAUSE);
                }
            }
        }
        closeGreeting();
    }

    /// Ends the oldest of too many connections, not before its time: meanwhile nobody is accepted.
    private void makeRoom() {
        Map.Entry<SocketChannel, Long> oldest;
        synchronized (greeting) {
            if (greeting.size() < GREETINGS_MAX) {
                return;
            }
            oldest = greeting.entrySet().iterator().next();
        }
        Duration age = Duration.ofNanos(System.nanoTime() - oldest.getValue());
        if (age.compareTo(GREETING_MIN) < 0) {
            pause(GREETING_MIN.minus(age));
        }
        if (ended(oldest.getKey())) {
            close(oldest.getKey());
        }
    }

    /// Says that a connection does not greet any more; false if that was said before.
    private boolean ended(SocketChannel socket) {
        synchronized (greeting) {
            return greeting.remove(socket) != null;
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException _) {
            // Nobody interrupts this thread; if somebody does, the pause is just shorter.
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
            if (ended(socket)) {
                welcome = welcome(socket, decoder, Fields.decode(hello.payload()));
            }
        } catch (IOException | ProtocolException | InterruptedException _) {
            // Whoever it was, it did not say what an agent says.
        } finally {
            alarm.interrupt();
            ended(socket);
            if (!welcome) {
                close(socket);
            }
        }
    }

    private void closeLate(SocketChannel socket) {
        try {
            Thread.sleep(greetingMax);
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
        connection.start("agent", threads, decoder);
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

    private void closeGreeting() {
        synchronized (greeting) {
            greeting.keySet().forEach(AgentListener::close);
        }
    }

    /// Ends the wait for all agents that did not come yet. Connections that are welcome live on. Idempotent.
    @Override
    public void close() {
        closed = true;
        try {
            server.close();
            Files.deleteIfExists(path);
        } catch (IOException failure) {
            throw new GloveboxException(ErrorCode.INTERNAL, "the agents' socket could not be removed", failure);
        } finally {
            closeGreeting();
            expected.values().forEach(agent -> agent.giveUp("this server is stopping"));
        }
    }
}
