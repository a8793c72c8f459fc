package dev.glovebox.backends;

import dev.glovebox.wire.agent.FrameDecoder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// A host's connection and the agent at its other end, joined by a real socket that is gone from the file system at
/// once. The test is the agent; what the host does runs on threads of its own.
final class AgentBench implements AutoCloseable {
    /// Long enough for a loaded machine; nothing waits for it unless the test fails.
    private static final Duration WAIT_MAX = Duration.ofSeconds(20);

    final ScriptedAgent agent;
    final AgentConnection connection;
    final BlockingQueue<String> condemned = new LinkedBlockingQueue<>();
    final AtomicInteger released = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private AgentBench(ScriptedAgent agent, AgentConnection connection) {
        this.agent = agent;
        this.connection = connection;
    }

    static AgentBench open(Path directory) throws IOException {
        return open(directory, Duration.ofSeconds(30));
    }

    static AgentBench open(Path directory, Duration stallMax) throws IOException {
        Path path = directory.resolve("bench.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            ScriptedAgent agent = ScriptedAgent.connect(path);
            SocketChannel socket = server.accept();
            AgentConnection connection = new AgentConnection(socket, stallMax);
            connection.start("bench", IoThreads.VIRTUAL, new FrameDecoder());
            return new AgentBench(agent, connection);
        } finally {
            Files.deleteIfExists(path);
        }
    }

    /// A sandbox whose host notes what it is told.
    AgentSandbox sandbox(Patience patience) {
        AgentSandbox.Host host = new AgentSandbox.Host() {
            @Override
            public void released() {
                released.incrementAndGet();
            }

            @Override
            public void condemn(String why) {
                condemned.add(why);
            }
        };
        return new AgentSandbox(connection, host, patience);
    }

    AgentSandbox sandbox() {
        return sandbox(Patience.DEFAULT);
    }

    /// Runs what the host does beside the test.
    <T> Future<T> host(Callable<T> action) {
        return threads.submit(action);
    }

    /// What the host's action gave; fails if it threw or takes too long.
    static <T> T result(Future<T> action) throws Exception {
        return action.get(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// What the host's action threw.
    static Throwable failure(Future<?> action) throws InterruptedException, TimeoutException {
        try {
            Object result = action.get(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("it succeeded: " + result);
        } catch (ExecutionException failure) {
            return java.util.Objects.requireNonNull(failure.getCause());
        }
    }

    String condemnation() throws InterruptedException {
        String why = condemned.poll(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
        if (why == null) {
            throw new AssertionError("nobody was condemned");
        }
        return why;
    }

    /// Ends both ends, and waits for everything that the host did: nothing may be left waiting.
    @Override
    public void close() {
        connection.close();
        agent.close();
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("a thread of the host outlives its connection");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
