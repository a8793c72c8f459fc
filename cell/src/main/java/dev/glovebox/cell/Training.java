package dev.glovebox.cell;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Plays host and cell against each other once, so that the AOT cache knows what every cell does. Used where
/// Glovebox is built or installed, never in service.
final class Training {
    private static final int ROUNDS = 30;
    private static final List<String> PYTHON =
            List.of("print(1+1)", "1/0", "import json\nprint(json.dumps({'a': [1]}))");
    private static final List<String> JAVASCRIPT =
            List.of("console.log(1+1)", "throw new Error('x')", "console.log(JSON.stringify({a: [1]}))");

    private Training() {}

    static void run(SandboxFactory factory, CellServices services) throws IOException {
        Path directory = Files.createTempDirectory("glovebox-training");
        Path path = directory.resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            for (int round = 0; round < ROUNDS; round++) {
                play(server, path, new Played(Tier.WASM, Language.PYTHON, PYTHON), factory, services);
                play(server, path, new Played(Tier.WASM, Language.JAVASCRIPT, JAVASCRIPT), factory, services);
                play(server, path, new Played(Tier.ISOLATE, Language.JAVASCRIPT, JAVASCRIPT), factory, services);
            }
        } finally {
            Files.deleteIfExists(path);
            Files.deleteIfExists(directory);
        }
    }

    private record Played(Tier tier, Language language, List<String> programs) {}

    private static void play(
            ServerSocketChannel server, Path path, Played played, SandboxFactory factory, CellServices services)
            throws IOException {
        Fields spawn = Fields.builder()
                .text(Tag.TIER, played.tier.word())
                .text(Tag.LANGUAGE, played.language.word())
                .build();
        Sandbox sandbox = factory.make(spawn).sandbox();
        try (SocketChannel agent = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            Thread serving =
                    Thread.ofVirtual().start(() -> new SandboxAgent(new FrameSocket(agent), sandbox, services).serve());
            try (SocketChannel host = server.accept()) {
                play(host, played);
            }
            serving.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void play(SocketChannel host, Played played) throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(played.programs.size() + 2);
        Thread _ = Thread.ofVirtual().start(() -> read(host, closed));
        FrameSocket to = new FrameSocket(host);
        int channel = 1;
        for (String program : played.programs) {
            to.send(open(RequestKind.PROCESS, channel++, played.language, program));
        }
        for (RequestKind kind : List.of(RequestKind.STAT, RequestKind.LIST)) {
            byte[] path = Fields.builder().text(Tag.PATH, "/tmp").build().encode();
            to.send(new Frame(FrameType.OPEN, kind.code(), channel++, path));
        }
        closed.await();
    }

    private static Frame open(RequestKind kind, int channel, Language language, String code) {
        return new Frame(
                FrameType.OPEN,
                kind.code(),
                channel,
                Fields.builder()
                        .text(Tag.LANGUAGE, language.word())
                        .text(Tag.CODE, code)
                        .build()
                        .encode());
    }

    private static void read(SocketChannel host, CountDownLatch closed) {
        FrameDecoder decoder = new FrameDecoder();
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        try {
            while (host.read(bytes) >= 0) {
                decoder.decode(bytes.flip(), frame -> {
                    if (frame.type() == FrameType.CLOSE) {
                        closed.countDown();
                    }
                });
                bytes.clear();
            }
        } catch (IOException _) {
            // The training round is over.
        }
    }
}
