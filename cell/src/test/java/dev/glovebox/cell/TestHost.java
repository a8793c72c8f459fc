package dev.glovebox.cell;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// A host for one cell process, over a real socket.
final class TestHost implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path directory;
    private final ServerSocketChannel server;
    private final Map<String, CompletableFuture<HostConnection>> awaited = new ConcurrentHashMap<>();
    final Process process;
    final HostConnection control;

    /// @param flags of the cell's JVM
    TestHost(Path dist, String classPath, List<String> flags, List<String> arguments) throws Exception {
        directory = Files.createTempDirectory("cell");
        Path socket = directory.resolve("s");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::accept);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Dglovebox.dist=" + dist,
                "-cp",
                classPath,
                "dev.glovebox.cell.Cell",
                "--socket",
                socket.toString()));
        command.addAll(arguments);
        byte[] token = token();
        CompletableFuture<HostConnection> greeted = await(token);
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().write((HexFormat.of().formatHex(token) + "\n").getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
        control = greeted.get(30, TimeUnit.SECONDS);
    }

    private static byte[] token() {
        byte[] token = new byte[32];
        RANDOM.nextBytes(token);
        return token;
    }

    private CompletableFuture<HostConnection> await(byte[] token) {
        CompletableFuture<HostConnection> future = new CompletableFuture<>();
        awaited.put(HexFormat.of().formatHex(token), future);
        return future;
    }

    /// A sandbox's connection.
    HostConnection spawn(Tier tier, Language language) {
        return spawn(tier, Fields.builder().text(Tag.LANGUAGE, language.word()));
    }

    HostConnection spawn(Tier tier, Fields.Builder more) {
        byte[] token = token();
        CompletableFuture<HostConnection> greeted = await(token);
        HostConnection.Call call =
                control.open(RequestKind.SPAWN, more.text(Tag.TIER, tier.word()).bytes(Tag.TOKEN, token));
        try {
            Fields close = call.await();
            if (close.requiredNumber(Tag.STATUS) != 0) {
                throw new AssertionError(close.requiredText(Tag.MESSAGE));
            }
            return greeted.get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no sandbox", e);
        }
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel socket = server.accept();
                Thread.ofVirtual().start(() -> greet(socket));
            }
        } catch (IOException _) {
            // closed
        }
    }

    private void greet(SocketChannel socket) {
        FrameDecoder decoder = new FrameDecoder();
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        List<Frame> frames = new ArrayList<>();
        try {
            while (frames.isEmpty() && socket.read(bytes) >= 0) {
                decoder.decode(bytes.flip(), frames::add);
                bytes.clear();
            }
        } catch (IOException _) {
            return;
        }
        byte[] token = Fields.decode(frames.getFirst().payload()).bytes(Tag.TOKEN);
        CompletableFuture<HostConnection> future = awaited.remove(HexFormat.of().formatHex(token));
        if (future != null) {
            future.complete(new HostConnection(socket, decoder));
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        server.close();
        Files.deleteIfExists(directory.resolve("s"));
        Files.deleteIfExists(directory);
    }
}
