package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.PortPeer;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Connections that are asked for by name: the same decisions, told in words.
@Timeout(60)
class DialedEgressIT {
    private static final String API = "140.82.112.5";
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: api.github.com\r\nConnection: close\r\n\r\n";

    private final World world = new World();
    private final List<String> refusals = new CopyOnWriteArrayList<>();

    @BeforeEach
    void internet() throws IOException {
        world.name("api.github.com", API);
        world.name("rebound.example", "10.0.0.1");
        world.serveWeb(API, 80);
        world.serveEcho("1.1.1.1", 8080);
    }

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    private DialedNetwork network(NetworkPolicy policy) {
        return world.egress.openDialed(new SandboxId("i" + "a".repeat(20)), new NetworkGrant(policy, List.of()));
    }

    private static NetworkPolicy open(String... allowOut) {
        return EgressIT.policy(List.of(allowOut), Map.of(), Set.of());
    }

    private void refused(String rule, String words) {
        refusals.add(rule + ": " + words);
    }

    private String ask(DialedNetwork network, String host, int port, String text) {
        var peer = network.dial(host, port, this::refused);
        if (peer.isEmpty()) {
            return "";
        }
        try (PortPeer there = peer.get()) {
            there.write(text.getBytes(StandardCharsets.ISO_8859_1));
            return readAll(there);
        } catch (PortPeer.Gone _) {
            return "broken";
        }
    }

    private static String readAll(PortPeer peer) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int count = peer.read(part); count >= 0; count = peer.read(part)) {
            all.write(part, 0, count);
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void whatIsOpenIsReached() {
        DialedNetwork network = network(open("api.github.com"));
        assertThat(ask(network, "API.github.com.", 80, REQUEST)).startsWith("HTTP/1.1 200 OK");
        world.await(EgressEvent.Kind.NAME_ALLOWED, "allow_out api.github.com");
        world.await(EgressEvent.Kind.CONNECTION_ALLOWED, "allow_out api.github.com");
        assertThat(network.usage().allowed()).isOne();
        assertThat(refusals).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "other.example, 80, dns.closed",
        "rebound.example, 80, dns.special",
        "a b, 80, dns.malformed",
        "x.tunnel, 80, dns.tunnel",
        "10.0.0.1, 80, always.private",
        "169.254.169.254, 80, always.metadata",
        "[::1], 80, always.loopback",
        "9.9.9.9, 443, always.host",
        "api.github.com, 8080, deny_out ALL_TRAFFIC"
    })
    void whatIsClosedIsRefusedInWords(String host, int port, String rule) {
        DialedNetwork network = network(open("api.github.com", "rebound.example"));
        assertThat(ask(network, host, port, REQUEST)).isIn("", "broken");
        assertThat(refusals).hasSize(1).first().asString().startsWith(rule + ": ");
        assertThat(world.heard(API + ":80")).isEmpty();
    }

    @Test
    void anotherNameInTheRequestIsRefused() {
        DialedNetwork network = network(open("api.github.com"));
        assertThat(ask(network, "api.github.com", 80, REQUEST.replace("api.github", "evil")))
                .isIn("", "broken");
        assertThat(refusals).hasSize(1).first().asString().startsWith("name.");
    }

    @Test
    void otherRulesCutAtOnceAndSaySo() {
        DialedNetwork network = network(open("1.1.1.1:8080"));
        try (PortPeer peer = network.dial("1.1.1.1", 8080, this::refused).orElseThrow()) {
            peer.write("x".getBytes(StandardCharsets.US_ASCII));
            assertThat(peer.read(new byte[10])).isOne();
            network.replace(NetworkGrant.CLOSED);
            assertThatThrownBy(() -> {
                        if (peer.read(new byte[10]) < 0) {
                            throw new PortPeer.Gone("the end", new IOException());
                        }
                    })
                    .isInstanceOf(PortPeer.Gone.class);
        }
        assertThat(refusals).anyMatch(words -> words.startsWith("policy.replaced"));
    }

    @Test
    void nobodyAnswersIsSaidToo() {
        DialedNetwork network = network(open("1.1.1.1"));
        assertThat(ask(network, "1.1.1.1", 81, "x")).isIn("", "broken");
        assertThat(refusals).containsExactly(": 1.1.1.1 at port 81: it cannot be connected to");
    }

    @Test
    void theSandboxIsToldOfItsOwnAuthority() {
        DialedNetwork network = network(open("api.github.com"));
        assertThat(network.trustPem()).hasSize(2).last().isEqualTo(network.authorityPem());
    }
}
