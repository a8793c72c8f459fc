package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.egress.EgressEvent.Kind;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.egress.UpstreamProxy;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What is open works, with real sockets. What is not is in `BypassIT`.
class EgressIT {
    /// What the JDK opens meanwhile.
    private static final int SPARE_DESCRIPTORS = 16;

    private static final String API = "140.82.112.5";
    private static final List<String> ALL = List.of("ALL_TRAFFIC");
    private static final Tunnel DATABASE =
            new Tunnel(new TunnelName("orders-db"), "10.0.0.7", 5432, false, 2, 0, Duration.ofMinutes(5));

    private final World world = new World();

    @BeforeEach
    void internet() throws IOException {
        world.name("api.github.com", API);
        world.serveSecure(API, 443, "api.github.com");
        world.serveWeb(API, 80);
        world.serveEcho("1.1.1.1", 8080);
        world.serveEcho("10.0.0.7", 5432);
    }

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    static NetworkPolicy policy(
            List<String> allowOut, Map<String, Map<String, String>> rules, Set<TunnelName> tunnels) {
        NetworkPolicy base = NetworkPolicy.parse(allowOut, ALL);
        List<RequestRule> requests = new ArrayList<>();
        rules.forEach((host, headers) -> {
            SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
            headers.forEach((name, value) -> templates.put(name, HeaderTemplate.parse(value)));
            requests.add(new RequestRule(HostPattern.parse(host), templates));
        });
        return new NetworkPolicy(
                base.allowOut(), base.denyOut(), requests, tunnels, Optional.empty(), NetworkLimits.DEFAULT);
    }

    private static NetworkPolicy limited(NetworkPolicy base, NetworkLimits limits) {
        return new NetworkPolicy(
                base.allowOut(), base.denyOut(), base.requests(), base.tunnels(), base.proxy(), limits);
    }

    private static NetworkPolicy open(String... allowOut) {
        return policy(List.of(allowOut), Map.of(), Set.of());
    }

    @Test
    void carriesTlsToANameAsItIs() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("api.github.com"));
        assertThat(World.lookUp(sandbox, "api.github.com")).containsExactly(API);
        try (Socket guest = World.secure(world.dial(sandbox, API, 443), world.authority.pem(), "api.github.com")) {
            World.send(guest, "GET /x HTTP/1.1\r\nHost: api.github.com\r\nConnection: close\r\n\r\n");
            assertThat(World.receive(guest)).startsWith("HTTP/1.1 200 OK").contains("GET /x HTTP/1.1");
        }
        var ended = world.await(Kind.CONNECTION_ENDED, "closed");
        assertThat(ended.sent()).isPositive();
        assertThat(ended.received()).isPositive();
        assertThat(world.await(Kind.CONNECTION_ALLOWED, "allow_out api.github.com")
                        .details())
                .containsEntry("name", "api.github.com")
                .containsEntry("address", API)
                .containsEntry("port", "443");
        assertThat(sandbox.usage().open()).isZero();
        assertThat(sandbox.usage().allowed()).isEqualTo(1);
        assertThat(sandbox.usage().sent()).isEqualTo(ended.sent());
    }

    @Test
    void looksUpANameThatAGuestRemembersFromBefore() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("api.github.com"));
        try (Socket guest = World.secure(world.dial(sandbox, API, 443), world.authority.pem(), "api.github.com")) {
            assertThat(guest.isConnected()).isTrue();
        }
    }

    @Test
    void carriesPlainHttpRequestByRequest() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("api.github.com"));
        try (Socket guest = world.dial(sandbox, API, 80)) {
            World.send(guest, "GET /one HTTP/1.1\r\nHost: api.github.com\r\n\r\n");
            String chunked = "POST /two HTTP/1.1\r\nHost: API.github.com\r\nTransfer-Encoding: chunked\r\n\r\n";
            World.send(guest, chunked);
            World.send(guest, "5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n");
            World.send(
                    guest,
                    "GET http://api.github.com/three HTTP/1.1\r\nHost: api.github.com\r\nConnection: close\r\n\r\n");
            assertThat(World.receive(guest)).contains("GET /one", "POST /two", "5\r\nhello\r\n0\r\n\r\n", "GET /three");
        }
        assertThat(world.heard(API + ":80")).hasSize(4).noneMatch(head -> head.contains("API"));
    }

    @Test
    void setsHeadersWithSecretsThatTheSandboxNeverSees() throws IOException {
        world.secrets.put("GH@api.github.com", "ghp_s3cret");
        SandboxEgress sandbox = world.sandbox(policy(
                List.of("api.github.com"),
                Map.of("api.github.com", Map.of("Authorization", "Bearer ${e2b.secrets.GH}")),
                Set.of()));
        try (Socket guest = World.secure(world.dial(sandbox, API, 443), sandbox.authorityPem(), "api.github.com")) {
            World.send(guest, "GET /one HTTP/1.1\r\nHost: api.github.com\r\nAuthorization: mine\r\n\r\n");
            World.send(
                    guest,
                    "POST /two HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
            assertThat(World.receive(guest)).contains("GET /one", "POST /two", "hi");
        }
        assertThat(world.heard(API + ":443"))
                .filteredOn(head -> head.contains("HTTP/1.1"))
                .hasSize(2)
                .allSatisfy(head -> assertThat(head)
                        .contains("Authorization: Bearer ghp_s3cret\r\n")
                        .doesNotContain("mine"));
        assertThat(world.summary().toString()).doesNotContain("ghp_s3cret");
        assertThatThrownBy(() -> World.secure(world.dial(sandbox, API, 443), world.authority.pem(), "api.github.com"))
                .as("a client that does not trust the sandbox's authority sees that it is another")
                .isInstanceOf(IOException.class);
    }

    @Test
    void theHostHasToShowItsCertificate() throws IOException {
        world.name("other.example", "151.101.1.1");
        world.serveSecure("151.101.1.1", 443, "evil.example");
        SandboxEgress sandbox =
                world.sandbox(policy(List.of("other.example"), Map.of("other.example", Map.of("X", "y")), Set.of()));
        try (Socket guest =
                World.secure(world.dial(sandbox, "151.101.1.1", 443), sandbox.authorityPem(), "other.example")) {
            World.send(guest, "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n");
            assertThat(World.receive(guest)).doesNotContain("200 OK");
        }
        assertThat(world.await(Kind.CONNECTION_ENDED, "broken").words()).contains("TLS");
        assertThat(world.heard("151.101.1.1:443")).noneMatch(text -> text.contains("HTTP/1.1"));
    }

    @Test
    void carriesWebSockets() throws IOException {
        world.name("ws.example", "151.101.1.2");
        world.serve("151.101.1.2", 80, socket -> {
            HttpFeed feed = new HttpFeed(socket.getInputStream());
            try {
                feed.head();
            } catch (HttpRefusal e) {
                throw new IOException(e);
            }
            World.send(socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
            feed.rest(socket.getOutputStream());
        });
        SandboxEgress sandbox = world.sandbox(open("ws.example"));
        try (Socket guest = world.dial(sandbox, "151.101.1.2", 80)) {
            World.send(
                    guest, "GET / HTTP/1.1\r\nHost: ws.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
            byte[] frame = {(byte) 0x81, 1, 'x', '\r', '\n'};
            guest.getOutputStream().write(frame);
            String all = "";
            while (!all.endsWith("x\r\n")) {
                byte[] buffer = new byte[1000];
                int read = guest.getInputStream().read(buffer);
                assertThat(read).isPositive();
                all += new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
            }
            assertThat(all).startsWith("HTTP/1.1 101");
        }
    }

    @Test
    void carriesAnythingToAddressesWithHalfCloseKept() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1:8080"));
        byte[] bytes = new byte[5_000_000];
        new Random(8).nextBytes(bytes);
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            CompletableFuture<byte[]> back = CompletableFuture.supplyAsync(() -> {
                try {
                    return guest.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            guest.getOutputStream().write(bytes);
            guest.shutdownOutput();
            assertThat(Arrays.equals(back.join(), bytes)).isTrue();
        }
        var ended = world.await(Kind.CONNECTION_ENDED, "closed");
        assertThat(ended.sent()).isEqualTo(bytes.length);
        assertThat(ended.received()).isEqualTo(bytes.length);
    }

    @Test
    void aResetGoesThrough() throws IOException {
        world.serve("1.1.1.1", 9000, socket -> {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        });
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1:9000"));
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 9000)) {
            World.send(guest, "x");
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 9000)) {
            guest.setSoLinger(true, 0);
        }
        assertThat(world.await(Kind.CONNECTION_ENDED, "broken").port()).isEqualTo(9000);
    }

    @Test
    void nobodyThereIsAResetAndARecord() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1"));
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 9999)) {
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
        assertThat(world.await(Kind.CONNECTION_FAILED, "allow_out 1.1.1.1").port())
                .isEqualTo(9999);
    }

    @Test
    void serversThatSpeakFirstAreHeardWhereAddressesAreOpen() throws IOException {
        world.serve("1.1.1.1", 443, socket -> World.send(socket, "220 hello\r\n"));
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1"));
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 443)) {
            assertThat(World.receive(guest)).isEqualTo("220 hello\r\n");
        }
    }

    @Test
    void rawNamesOpenTheirAddressesToAnyProtocol() throws IOException {
        world.name("git.example", "151.101.1.3");
        world.serve("151.101.1.3", 22, socket -> World.send(socket, "SSH-2.0-x\r\n"));
        SandboxEgress sandbox = world.sandbox(open("tcp://git.example:22"));
        World.lookUp(sandbox, "git.example");
        try (Socket guest = world.dial(sandbox, "151.101.1.3", 22)) {
            assertThat(World.receive(guest)).isEqualTo("SSH-2.0-x\r\n");
        }
    }

    @Test
    void tunnelsLeadInside() throws IOException {
        SandboxEgress sandbox = world.sandbox(policy(List.of(), Map.of(), Set.of(DATABASE.name())), DATABASE);
        String address = World.lookUp(sandbox, "orders-db.tunnel").getFirst();
        try (Socket one = world.dial(sandbox, address, 5432);
                Socket two = world.dial(sandbox, address, 5432)) {
            World.send(one, "select");
            one.shutdownOutput();
            assertThat(World.receive(one)).isEqualTo("select");
            World.send(two, "x");
            assertThat(two.getInputStream().read()).isEqualTo('x');
        }
        List<Socket> many = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            many.add(world.dial(sandbox, address, 5432));
        }
        world.await(Kind.CONNECTION_DENIED, "limit.tunnel_connections");
        for (Socket socket : many) {
            socket.close();
        }
    }

    @Test
    void tunnelsMayEndInTls() throws IOException {
        world.name("db.internal.example", "10.0.0.8");
        world.serveSecure("10.0.0.8", 443, "db.internal.example");
        Tunnel tunnel =
                new Tunnel(new TunnelName("web"), "db.internal.example", 443, true, 2, 2000, Duration.ofMinutes(5));
        SandboxEgress sandbox = world.sandbox(policy(List.of(), Map.of(), Set.of(tunnel.name())), tunnel);
        String address = World.lookUp(sandbox, "web.tunnel").getFirst();
        try (Socket guest = world.dial(sandbox, address, 443)) {
            World.send(guest, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(World.receive(guest)).startsWith("HTTP/1.1 200 OK");
        }
        world.await(Kind.CONNECTION_ENDED, "closed");
        try (Socket guest = world.dial(sandbox, address, 443)) {
            World.send(guest, "GET / HTTP/1.1\r\nX: " + "a".repeat(2000) + "\r\n\r\n");
            assertThat(World.receive(guest)).doesNotContain("200 OK");
        }
        world.await(Kind.CONNECTION_ENDED, "limit.tunnel_bytes");
    }

    @Test
    void leavesThroughAProxy() throws IOException {
        AtomicReference<String> asked = new AtomicReference<>();
        world.name("proxy.example", "151.101.1.4");
        world.serve("151.101.1.4", 1080, socket -> {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.readNBytes(3);
            socket.getOutputStream().write(new byte[] {5, 2});
            byte[] login = in.readNBytes(2 + 2 + 1 + 6);
            socket.getOutputStream().write(new byte[] {1, 0});
            byte[] request = in.readNBytes(10);
            asked.set(new String(login, StandardCharsets.US_ASCII) + Arrays.toString(request));
            socket.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
            in.transferTo(socket.getOutputStream());
        });
        NetworkPolicy base = open("1.1.1.1:8080");
        UpstreamProxy proxy =
                UpstreamProxy.parse("proxy.example:1080", Optional.of(new UpstreamProxy.Login("me", "secret")));
        NetworkPolicy policy = new NetworkPolicy(
                base.allowOut(), base.denyOut(), List.of(), Set.of(), Optional.of(proxy), NetworkLimits.DEFAULT);
        SandboxEgress sandbox = world.sandbox(policy);
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            World.send(guest, "hello");
            guest.shutdownOutput();
            assertThat(World.receive(guest)).isEqualTo("hello");
        }
        assertThat(asked.get()).isEqualTo("\u0001\u0002me\u0006secret[5, 1, 0, 1, 1, 1, 1, 1, 31, -112]");
        assertThat(world.summary().toString()).doesNotContain("secret");
        world.name("proxy.example", "127.0.0.1");
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
        world.await(Kind.CONNECTION_FAILED, "allow_out 1.1.1.1:8080");
    }

    @Test
    void otherRulesHoldAtOnceAndCutWhatTheyDoNotAllow() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1", "8.8.8.8"));
        world.serveEcho("8.8.8.8", 8080);
        try (Socket cut = world.dial(sandbox, "1.1.1.1", 8080);
                Socket stays = world.dial(sandbox, "8.8.8.8", 8080)) {
            for (Socket guest : List.of(cut, stays)) {
                World.send(guest, "x");
                assertThat(guest.getInputStream().read()).isEqualTo('x');
            }
            long begin = System.nanoTime();
            sandbox.replace(new NetworkGrant(open("8.8.8.8"), List.of()));
            assertThat(World.receive(cut)).isEqualTo("[reset]");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(500));
            World.send(stays, "y");
            assertThat(stays.getInputStream().read()).isEqualTo('y');
        }
        world.await(Kind.CONNECTION_ENDED, "policy.replaced");
        assertThat(world.await(Kind.POLICY_REPLACED, "policy").words()).contains("1 connections were cut");
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
    }

    @Test
    void noConnectionSlipsThroughWhileRulesAreReplaced() throws Exception {
        SandboxEgress sandbox = world.sandbox(limited(open("1.1.1.1"), new NetworkLimits(2000, 1000, 0, 0)));
        List<Socket> sockets = java.util.Collections.synchronizedList(new ArrayList<>());
        Thread dialing = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 400; i++) {
                    sockets.add(world.dial(sandbox, "1.1.1.1", 8080));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        Thread.sleep(20);
        sandbox.replace(new NetworkGrant(NetworkPolicy.CLOSED, List.of()));
        dialing.join();
        for (Socket socket : sockets) {
            assertThat(World.receive(socket)).isEqualTo("[reset]");
            socket.close();
        }
        assertThat(sandbox.usage().open()).isZero();
    }

    @Test
    void bandwidthIsHeldToItsBound() throws IOException {
        SandboxEgress sandbox = world.sandbox(limited(open("1.1.1.1"), new NetworkLimits(10, 10, 1_000_000, 0)));
        byte[] bytes = new byte[2_000_000];
        long begin = System.nanoTime();
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            Thread.ofVirtual().start(() -> {
                try {
                    guest.getOutputStream().write(bytes);
                    guest.shutdownOutput();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            assertThat(guest.getInputStream().readAllBytes()).hasSize(bytes.length);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("one second's worth may come at once, the rest takes another")
                .isBetween(Duration.ofMillis(900), Duration.ofSeconds(5));
    }

    @Test
    void volumeHasAnEnd() throws IOException {
        SandboxEgress sandbox = world.sandbox(limited(open("1.1.1.1"), new NetworkLimits(10, 10, 0, 100_000)));
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 8080)) {
            Thread.ofVirtual().start(() -> {
                try {
                    guest.getOutputStream().write(new byte[10_000_000]);
                } catch (IOException _) {
                    // That is what is tested.
                }
            });
            // Whichever of the two threads comes first is told of the reset.
            assertThat(World.receive(guest)).hasSizeLessThan(10_000_000);
        }
        world.await(Kind.CONNECTION_ENDED, "limit.bytes");
    }

    @Test
    void aGuestThatDoesNotReadCostsLittle() throws IOException {
        world.serve("1.1.1.1", 7000, socket -> {
            byte[] flood = new byte[1 << 20];
            while (true) {
                socket.getOutputStream().write(flood);
            }
        });
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1"));
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            sockets.add(world.dial(sandbox, "1.1.1.1", 7000));
        }
        for (Socket socket : sockets) {
            assertThat(socket.getInputStream().read()).isZero();
        }
        waitUntil(() -> !sandbox.meter().mayHold(), "the bound for large pieces is reached");
        for (Socket socket : sockets) {
            socket.close();
        }
        waitUntil(() -> sandbox.usage().open() == 0, "all connections are over");
        assertThat(sandbox.meter().mayHold()).as("everything is given back").isTrue();
    }

    @Test
    void bulkThatIsBrokenOffLeavesNothing() throws IOException {
        world.serve("1.1.1.1", 7001, socket -> {
            byte[] flood = new byte[1 << 20];
            while (true) {
                socket.getOutputStream().write(flood);
            }
        });
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1"));
        long before = descriptors();
        for (int round = 0; round < 8; round++) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                sockets.add(world.dial(sandbox, "1.1.1.1", 7001));
            }
            for (Socket socket : sockets) {
                assertThat(socket.getInputStream().readNBytes(3_000_000)).containsOnly(0);
            }
            for (int i = 0; i < sockets.size(); i++) {
                // With a reset or without, while buffers are full.
                sockets.get(i).setSoLinger(i % 2 == 0, 0);
                sockets.get(i).close();
            }
        }
        waitUntil(() -> sandbox.usage().open() == 0, "all connections are over");
        assertThat(sandbox.meter().mayHold()).as("everything is given back").isTrue();
        waitUntil(() -> descriptors() <= before + SPARE_DESCRIPTORS, "no socket is left");
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void waitUntil(java.util.function.BooleanSupplier holds, String what) {
        long end = System.nanoTime() + World.PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void dnsIsAnsweredOverTcpToo() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("api.github.com"));
        byte[] query = org.xbill.DNS.Message.newQuery(org.xbill.DNS.Record.newRecord(
                        org.xbill.DNS.Name.fromString("api.github.com."),
                        org.xbill.DNS.Type.A,
                        org.xbill.DNS.DClass.IN))
                .toWire();
        try (Socket guest = world.dial(sandbox, "8.8.8.8", 53)) {
            guest.getOutputStream().write(new byte[] {0, (byte) query.length});
            guest.getOutputStream().write(query);
            DataInputStream in = new DataInputStream(guest.getInputStream());
            var answer = new org.xbill.DNS.Message(in.readNBytes(in.readUnsignedShort()));
            assertThat(answer.getSection(org.xbill.DNS.Section.ANSWER)).hasSize(1);
        }
    }

    @Test
    void aClosedSandboxReachesNothing() throws IOException {
        SandboxEgress sandbox = world.sandbox(open("1.1.1.1"));
        Socket before = world.dial(sandbox, "1.1.1.1", 8080);
        World.send(before, "x");
        assertThat(before.getInputStream().read()).isEqualTo('x');
        sandbox.close();
        sandbox.close();
        assertThat(World.receive(before)).isEqualTo("[reset]");
        try (Socket after = world.dial(sandbox, "1.1.1.1", 8080)) {
            assertThat(World.receive(after)).isEqualTo("[reset]");
        }
        assertThat(sandbox.answer(new byte[20])).isEmpty();
        before.close();
    }
}
