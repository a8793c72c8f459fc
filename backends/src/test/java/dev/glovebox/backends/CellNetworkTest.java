package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.PortPeer;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// How a cell asks for connections, with cells that ask for anything.
@Timeout(60)
class CellNetworkTest {
    private static final SandboxId SANDBOX = new SandboxId("i" + "b".repeat(20));
    private static final NetworkGrant OPEN = new NetworkGrant(NetworkPolicy.OPEN, List.of());

    @TempDir
    Path directory;

    private final Map<String, QueuePeer> peers = new ConcurrentHashMap<>();
    private final Map<String, DialedNetwork.Refusals> told = new ConcurrentHashMap<>();
    private AgentBench bench;
    private AgentSandbox sandbox;

    /// Reaches whatever has a peer.
    private final class Network implements DialedNetwork {
        @Override
        public Optional<PortPeer> dial(String host, int port, Refusals refusals) {
            told.put(host, refusals);
            if (!peers.containsKey(host)) {
                refusals.refused("dns.closed", host + " is not open");
            }
            return Optional.ofNullable(peers.get(host));
        }

        @Override
        public List<String> trustPem() {
            return List.of("one", "two");
        }

        @Override
        public void replace(NetworkGrant grant) {}

        @Override
        public NetworkUsage usage() {
            return NetworkUsage.NONE;
        }

        @Override
        public String authorityPem() {
            return "two";
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void open() throws IOException {
        bench = AgentBench.open(directory);
        sandbox = bench.sandbox().openDialed(SANDBOX, NetworkGrant.CLOSED, Optional.of((id, grant) -> new Network()));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Frame opened() {
        sandbox.replaceNetwork(OPEN);
        return bench.agent.receiveOpen(RequestKind.NETWORK);
    }

    private static byte[] wish(long number, String host, long port) {
        return ScriptedAgent.record(Fields.builder()
                .number(Tag.CONNECTION, number)
                .text(Tag.HOST, host)
                .number(Tag.PORT, port)
                .build());
    }

    private Frame ask(Frame network, long number, String host) {
        bench.agent.send(ScriptedAgent.data(network.channel(), Protocol.RECORDS, wish(number, host, 80)));
        return bench.agent.receiveOpen(RequestKind.OUTBOUND);
    }

    @Test
    void opensAndClosesWithTheRules() {
        Frame network = opened();
        assertThat(Fields.decode(network.payload()).all(Tag.TRUST)).hasSize(2);
        sandbox.replaceNetwork(OPEN);
        sandbox.replaceNetwork(NetworkGrant.CLOSED);
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(network.channel());
        assertThat(opened().channel()).isNotEqualTo(network.channel());
    }

    @Test
    void carriesBothWays() throws InterruptedException {
        QueuePeer peer = new QueuePeer();
        peers.put("a.example", peer);
        Frame outbound = ask(opened(), 7, "a.example");
        assertThat(Fields.decode(outbound.payload()).requiredNumber(Tag.CONNECTION))
                .isEqualTo(7);
        bench.agent.send(
                ScriptedAgent.started(outbound.channel()),
                ScriptedAgent.data(outbound.channel(), Protocol.CONTENT, "hello"));
        assertThat(peer.take()).isEqualTo("connected");
        assertThat(peer.take()).isEqualTo("hello");
        peer.say("answer");
        assertThat(new String(bench.agent.receive(FrameType.DATA).payload(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("answer");
        java.util.Objects.requireNonNull(told.get("a.example")).refused("policy.replaced", "the rules were replaced");
        Fields why = Fields.decode(bench.agent.receive(FrameType.CONTROL).payload());
        assertThat(why.text(Tag.RULE)).contains("policy.replaced");
        bench.agent.send(
                ScriptedAgent.close(outbound.channel(), ScriptedAgent.ok().build()));
    }

    @Test
    void tellsWhyItRefuses() {
        Frame network = opened();
        Fields refusal = Fields.decode(ask(network, 1, "b.example").payload());
        assertThat(refusal.text(Tag.RULE)).contains("dns.closed");
        assertThat(refusal.text(Tag.REASON)).contains("b.example is not open");
    }

    @Test
    void aWishThatIsGivenUpFreesItsPeer() throws InterruptedException {
        QueuePeer peer = new QueuePeer();
        peers.put("c.example", peer);
        Frame outbound = ask(opened(), 1, "c.example");
        bench.agent.send(ScriptedAgent.close(
                outbound.channel(),
                Fields.builder()
                        .number(Tag.STATUS, Status.CANCELLED.code())
                        .text(Tag.MESSAGE, "nobody waits")
                        .build()));
        assertThat(peer.take()).isEqualTo("close");
        assertThat(bench.condemned).isEmpty();
    }

    @Test
    void wishesBeyondTheBoundWait() {
        Frame network = opened();
        int bound = dev.glovebox.core.Limits.CELL_CONNECTIONS_MAX;
        int[] channels = new int[bound];
        for (int i = 0; i < bound; i++) {
            peers.put("h" + i, new QueuePeer());
            channels[i] = ask(network, i, "h" + i).channel();
        }
        peers.put("last", new QueuePeer());
        bench.agent.send(ScriptedAgent.data(network.channel(), Protocol.RECORDS, wish(bound, "last", 80)));
        assertThat(told).doesNotContainKey("last");
        bench.agent.send(ScriptedAgent.close(channels[3], ScriptedAgent.ok().build()));
        bench.agent.receiveOpen(RequestKind.OUTBOUND);
        assertThat(told).containsKey("last");
    }

    static Stream<byte[]> nonsense() {
        return Stream.of(
                wish(1, "", 80),
                wish(1, "a".repeat(301), 80),
                wish(1, "a.example", 0),
                wish(1, "a.example", 65_536),
                ScriptedAgent.record(Fields.builder().number(Tag.CONNECTION, 1).build()),
                ScriptedAgent.record(Fields.builder()
                        .text(Tag.HOST, "a.example")
                        .number(Tag.PORT, 1)
                        .build()),
                ScriptedAgent.record(
                        Fields.builder().text(Tag.HOST, "x".repeat(2000)).build()),
                new byte[] {0, 0, 0, 3, 1, 2, 3},
                new byte[] {-1, -1, -1, -1});
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void whoAsksForNonsenseIsEnded(byte[] bytes) throws InterruptedException {
        Frame network = opened();
        bench.agent.send(ScriptedAgent.data(network.channel(), Protocol.RECORDS, bytes));
        assertThat(bench.condemnation()).isNotEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void whoSendsOnAnotherStreamIsEnded() throws InterruptedException {
        Frame network = opened();
        bench.agent.send(ScriptedAgent.data(network.channel(), Protocol.CONTENT, "x"));
        assertThat(bench.condemnation()).contains("stream");
    }
}
