package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Language;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.SandboxHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of connections to ports inside. The server inside is [GuestTask#SERVE_PORTS].
public abstract class PortConformance extends BackendTopic {
    private static final int CONNECTIONS = 50;
    /// With less, Node.js in gVisor is ended now and then for what it holds of what it echoes.
    private static final long MEMORY_BYTES = 1L << 30;

    private @Nullable SandboxHandle sandbox;

    protected PortConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// Starts the server; of a tier without ports, asserts the refusal instead and says so.
    private boolean serves(Language language) {
        if (!bench().can(Capability.PORTS)) {
            RecordingPeer peer = new RecordingPeer();
            refusal(() -> sandbox().connect(GuestPorts.ECHO, peer)).is(ErrorCode.UNSUPPORTED, "gvisor", "jail");
            assertThat(peer.isConnected()).isFalse();
            return false;
        }
        serve(language);
        return true;
    }

    private BackendBench.Running serve(Language language) {
        sandbox = create(BackendBench.withLimits(bench().request(), memory(MEMORY_BYTES)));
        BackendBench.Running server = BackendBench.startBeside(
                sandbox, withLimits(bench().spec(language, GuestTask.SERVE_PORTS), memory(MEMORY_BYTES)));
        server.said().awaitStdout("ready");
        return server;
    }

    private SandboxHandle served() {
        return Objects.requireNonNull(sandbox, "nothing is served");
    }

    private CompletableFuture<Integer> connect(int port, RecordingPeer peer) {
        return BackendBench.beside(() -> {
            served().connect(port, peer);
            return port;
        });
    }

    private void connectToTheEnd(int port, RecordingPeer peer) {
        BackendBench.await(connect(port, peer));
        assertThat(peer.isClosed()).isTrue();
    }

    /// Says where they differ instead of showing all.
    private static void assertSame(byte[] heard, byte[] expected) {
        assertThat(heard.length).isEqualTo(expected.length);
        assertThat(Arrays.mismatch(heard, expected))
                .as("the first byte that differs")
                .isEqualTo(-1);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("languages")
    void carriesTenMebibytesBothWaysUnchanged(Language language) {
        if (serves(language)) {
            byte[] content = random(10 * 1024 * 1024 + 1);
            RecordingPeer peer = new RecordingPeer().say(content).sayNoMore();
            connectToTheEnd(GuestPorts.ECHO, peer);
            assertSame(peer.awaitAll(), content);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void carriesEachWordAtOnce(Language language) {
        if (serves(language)) {
            RecordingPeer peer = new RecordingPeer();
            CompletableFuture<Integer> connection = connect(GuestPorts.ECHO, peer);
            peer.awaitConnected();
            for (int i = 0; i < 20; i++) {
                peer.say("word");
                peer.awaitHeard(4 * (i + 1));
            }
            assertThat(connection).isNotDone();
            peer.sayNoMore();
            BackendBench.await(connection);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void thePeerMayCloseItsHalfAndHear(Language language) {
        if (serves(language)) {
            RecordingPeer peer = new RecordingPeer().say(random(100_000)).sayNoMore();
            connectToTheEnd(GuestPorts.LISTENS_FIRST, peer);
            assertThat(peer.awaitAllText()).isEqualTo("heard 100000");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theGuestMayCloseItsHalfAndHear(Language language) {
        if (bench().can(Capability.PORTS)) {
            BackendBench.Running server = serve(language);
            RecordingPeer peer = new RecordingPeer();
            CompletableFuture<Integer> connection = connect(GuestPorts.SPEAKS_FIRST, peer);
            assertThat(peer.awaitAllText()).isEqualTo("first");
            peer.say(random(1_000_000)).sayNoMore();
            BackendBench.await(connection);
            server.said().awaitStdout("heard 1000000");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aGuestThatLeavesEndsItsHalf(Language language) {
        if (serves(language)) {
            RecordingPeer peer = new RecordingPeer();
            CompletableFuture<Integer> connection = connect(GuestPorts.LEAVES, peer);
            assertThat(peer.awaitAllText()).isEqualTo("bye");
            peer.sayNoMore();
            BackendBench.await(connection);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aGuestThatBreaksOffIsNoEnd(Language language) {
        if (serves(language)) {
            RecordingPeer peer = new RecordingPeer().say("x");
            connectToTheEnd(GuestPorts.BREAKS, peer);
            assertThat(peer.hasHeardAll()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aPeerThatGoesAwayEndsTheConnection(Language language) {
        if (serves(language)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                RecordingPeer peer = new RecordingPeer().say("hello");
                CompletableFuture<Integer> connection = connect(GuestPorts.ECHO, peer);
                peer.awaitHeard(5);
                peer.leave();
                BackendBench.await(connection);
            }
            connectToTheEnd(
                    GuestPorts.ECHO, new RecordingPeer().say("still there").sayNoMore());
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void servesManyConnectionsAtOnce(Language language) {
        if (serves(language)) {
            List<RecordingPeer> peers = new ArrayList<>();
            List<CompletableFuture<Integer>> connections = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                RecordingPeer peer = new RecordingPeer().say(random(100_000 + i));
                peers.add(peer);
                connections.add(connect(GuestPorts.ECHO, peer));
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                peers.get(i).awaitHeard(100_000 + i);
                assertThat(connections.get(i)).isNotDone();
            }
            peers.forEach(RecordingPeer::sayNoMore);
            connections.forEach(BackendBench::await);
            for (int i = 0; i < CONNECTIONS; i++) {
                assertSame(peers.get(i).awaitAll(), random(100_000 + i));
            }
        }
    }

    @Test
    void aPortWhereNothingListensIsRefused() {
        if (serves(languages().getFirst())) {
            RecordingPeer peer = new RecordingPeer();
            refusal(() -> served().connect(GuestPorts.NOBODY, peer))
                    .is(ErrorCode.PORT_CLOSED, "port " + GuestPorts.NOBODY, "nothing listens");
            assertThat(peer.isConnected()).isFalse();
        }
    }

    @Test
    void theEndOfTheSandboxEndsItsConnections() {
        if (serves(languages().getFirst())) {
            RecordingPeer peer = new RecordingPeer().say("hello");
            CompletableFuture<Integer> connection = connect(GuestPorts.ECHO, peer);
            peer.awaitHeard(5);
            served().close();
            refusal(() -> BackendBench.await(connection)).is(ErrorCode.BACKEND_LOST);
            assertThat(peer.isClosed()).isTrue();
            assertThat(peer.hasHeardAll()).isFalse();
            refusal(() -> served().connect(GuestPorts.ECHO, new RecordingPeer()))
                    .is(ErrorCode.BACKEND_LOST);
        }
    }
}
