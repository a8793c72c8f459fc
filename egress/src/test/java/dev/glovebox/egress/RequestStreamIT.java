package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.egress.EgressEvent.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a server gets to see, byte for byte, of streams of requests that two readers could cut in two ways; and
/// what a guest gets to see of servers that answer strangely.
class RequestStreamIT {
    private static final String SITE = "151.101.1.1";
    private static final String HOST = "Host: a.example\r\n";
    private static final String FIRST = "GET /1 HTTP/1.1\r\n" + HOST + "\r\n";
    private static final String EVIL = "GET /evil HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    private final World world = new World();
    private final CompletableFuture<String> seen = new CompletableFuture<>();
    private SandboxEgress sandbox = world.sandbox(EgressIT.policy(List.of("a.example"), Map.of(), Set.of()));

    @BeforeEach
    void names() throws IOException {
        world.name("a.example", SITE);
        World.lookUp(sandbox, "a.example");
    }

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    /// A server that reads to the end, and answers then.
    private void serveAtTheEnd(String answer) throws IOException {
        world.serve(SITE, 80, socket -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try {
                socket.getInputStream().transferTo(all);
            } finally {
                seen.complete(all.toString(StandardCharsets.ISO_8859_1));
            }
            World.send(socket, answer);
        });
    }

    /// A server that answers when it has seen a head, whatever comes behind it.
    private void serveAtOnce(World.Handler then) throws IOException {
        world.serve(SITE, 80, socket -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (!HeadEnd.isEnd(all.toByteArray(), all.size())) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    return;
                }
                all.write(next);
            }
            seen.complete(all.toString(StandardCharsets.ISO_8859_1));
            then.handle(socket);
        });
    }

    private String guest(String sent, boolean ends) throws IOException {
        try (Socket guest = world.dial(sandbox, SITE, 80)) {
            World.send(guest, sent);
            if (ends) {
                guest.shutdownOutput();
            }
            return World.receive(guest);
        }
    }

    private String server() {
        return seen.completeOnTimeout("[nothing]", 10, TimeUnit.SECONDS).join();
    }

    /// @param sent by the guest
    /// @param arrives at the server; empty if it is not connected to, or gets just what was sent
    /// @param rule that ends it; empty if nothing does
    record Case(String name, String sent, String arrives, String rule) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static String post(String... headers) {
        return "POST /1 HTTP/1.1\r\n" + HOST + String.join("\r\n", headers) + "\r\n\r\n";
    }

    static Stream<Case> streams() {
        return Stream.of(targets(), bodies(), words(), heads()).flatMap(it -> it);
    }

    private static Stream<Case> targets() {
        return Stream.of(
                new Case("two for one host", FIRST + FIRST, FIRST + FIRST, ""),
                new Case("the second for another", FIRST + EVIL, FIRST, "http.host"),
                new Case(
                        "the second's target elsewhere",
                        FIRST + "GET http://evil.example/ HTTP/1.1\r\n" + HOST + "\r\n",
                        FIRST,
                        "http.host"),
                new Case(
                        "the second's target with a user",
                        FIRST + "GET http://a.example@evil.example/ HTTP/1.1\r\n" + HOST + "\r\n",
                        FIRST,
                        "http.host"),
                new Case(
                        "the second's target with the port of TLS",
                        FIRST + "GET http://a.example:443/ HTTP/1.1\r\n" + HOST + "\r\n",
                        FIRST,
                        "http.host"),
                new Case(
                        "an absolute target with its port",
                        "GET HTTP://A.Example.:80/1 HTTP/1.1\r\nHost: A.EXAMPLE.:0080\r\n\r\n",
                        FIRST,
                        ""));
    }

    private static Stream<Case> bodies() {
        String chunked = post("Transfer-Encoding: chunked");
        return Stream.of(
                new Case("a body with a request in it", post("Content-Length: " + EVIL.length()) + EVIL, "", "body"),
                new Case("a length of 0 with a request behind it", post("Content-Length: 0") + EVIL, "", "http.host*"),
                new Case("no length with a request behind it", FIRST + EVIL, FIRST, "http.host"),
                new Case(
                        "a length with zeros before it",
                        post("Content-Length: 010") + "0123456789",
                        post("Content-Length: 10") + "0123456789",
                        ""),
                new Case(
                        "chunks with extensions and trailers",
                        chunked + "3;a=\"\r\nabc\r\n0;b\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n" + FIRST,
                        chunked + "3\r\nabc\r\n0\r\n\r\n" + FIRST,
                        ""),
                new Case(
                        "a request within a chunk",
                        chunked + Integer.toHexString(EVIL.length()) + "\r\n" + EVIL + "\r\n0\r\n\r\n",
                        "",
                        "chunk"),
                new Case(
                        "a last chunk in disguise",
                        chunked + "00000;x\r\n\r\n" + FIRST,
                        chunked + "0\r\n\r\n" + FIRST,
                        ""));
    }

    private static Stream<Case> words() {
        return Stream.of(
                new Case(
                        "an expectation that nobody knows",
                        post("Content-Length: 2", "Expect: x") + "hi",
                        "",
                        "http.framing"),
                new Case(
                        "an expectation twice",
                        post("Content-Length: 2", "Expect: 100-continue", "Expect: 100-continue") + "hi",
                        "",
                        "http.framing"),
                new Case(
                        "an expectation without a body",
                        "GET /1 HTTP/1.1\r\n" + HOST + "Expect: 100-continue\r\n\r\n",
                        FIRST,
                        ""),
                new Case(
                        "an expectation",
                        post("Content-Length: 2", "Expect: 100-Continue") + "hi",
                        post("Expect: 100-continue", "Content-Length: 2") + "hi",
                        ""),
                new Case(
                        "headers that some servers take for others",
                        "GET /1 HTTP/1.1\r\n" + HOST
                                + "Content_Length: 5\r\nTransfer_Encoding: chunked\r\nX_Y: z\r\n\r\n",
                        "GET /1 HTTP/1.1\r\n" + HOST + "X_Y: z\r\n\r\n",
                        ""),
                new Case(
                        "HTTP/1.0 that wants to go on",
                        "GET /1 HTTP/1.0\r\n" + HOST + "Connection: keep-alive\r\n\r\n" + EVIL,
                        "GET /1 HTTP/1.0\r\n" + HOST + "Connection: close\r\n\r\n",
                        "-"),
                new Case(
                        "an upgrade that also closes",
                        "GET /1 HTTP/1.1\r\n" + HOST + "Upgrade: websocket\r\nConnection: upgrade, close\r\n\r\n"
                                + EVIL,
                        "GET /1 HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n",
                        "-"));
    }

    private static Stream<Case> heads() {
        return Stream.of(
                new Case("an empty line between two", FIRST + "\r\n" + FIRST, FIRST, "http.malformed"),
                new Case(
                        "a head of many lines",
                        FIRST + "GET / HTTP/1.1\r\n" + HOST + "A: b\r\n".repeat(200) + "\r\n",
                        FIRST,
                        "http.malformed"),
                new Case(
                        "a head of many bytes",
                        FIRST + "GET / HTTP/1.1\r\n" + HOST + "A: " + "b".repeat(40_000) + "\r\n\r\n",
                        FIRST,
                        "http.malformed"),
                new Case(
                        "a folded line",
                        FIRST + "GET / HTTP/1.1\r\nHost:\r\n a.example\r\n\r\n",
                        FIRST,
                        "http.malformed"),
                new Case("a line feed alone", FIRST + "GET / HTTP/1.1\n" + HOST + "\r\n", FIRST, "http.malformed"),
                new Case(
                        "a zero in a value",
                        FIRST + "GET / HTTP/1.1\r\n" + HOST + "A: b\u0000c\r\n\r\n",
                        FIRST,
                        "http.malformed"),
                new Case(
                        "a name with a carriage return",
                        FIRST + "GET / HTTP/1.1\r\n" + HOST + "A\r: b\r\n\r\n",
                        FIRST,
                        "http.malformed"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("streams")
    void serversSeeOneStreamThatCanBeCutInOneWay(Case it) throws IOException {
        boolean isLast = it.rule.equals("-");
        if (isLast) {
            serveAtOnce(socket -> World.send(socket, OK));
        } else {
            serveAtTheEnd(OK);
        }
        String answer = guest(it.sent, !isLast);
        switch (it.rule) {
            case "", "-" -> {
                assertThat(server()).isEqualTo(it.arrives);
                assertThat(answer).startsWith(OK);
            }
            case "body", "chunk" -> assertThat(server()).isEqualTo(it.sent);
            case "http.host*" -> {
                world.await(Kind.REQUEST_DENIED, "http.host");
                assertThat(server()).isEqualTo(post("Content-Length: 0"));
            }
            default -> {
                assertThat(world.await(Kind.REQUEST_DENIED, it.rule).words()).isNotBlank();
                if (it.arrives.isEmpty()) {
                    assertThat(world.heard(SITE + ":80")).isEmpty();
                    assertThat(answer).startsWith("HTTP/1.1 403");
                } else {
                    assertThat(server()).isEqualTo(it.arrives);
                }
            }
        }
    }

    static Stream<String> answers() {
        return Stream.of(
                "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nlong",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
                "HTTP/1.1 101 Switching Protocols\r\n\r\nanything",
                "HTTP/0.9 what\n",
                "\u0000\u0001\u0002",
                "");
    }

    /// Answers are the server's: they go to the guest as they are, and change nothing about its requests.
    @ParameterizedTest
    @MethodSource("answers")
    void answersGoThroughAndOpenNothing(String answer) throws IOException {
        serveAtTheEnd(answer);
        try (Socket guest = world.dial(sandbox, SITE, 80)) {
            World.send(guest, "HEAD /1 HTTP/1.1\r\n" + HOST + "\r\n");
            guest.shutdownOutput();
            assertThat(World.receive(guest)).isEqualTo(answer);
        }
    }

    static Stream<String> refusedUpgrades() {
        return Stream.of(
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 426 Upgrade Required\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n");
    }

    /// After an upgrade that the server does not grant, what follows is looked at like any other request.
    @ParameterizedTest
    @MethodSource("refusedUpgrades")
    void bytesBehindAnUpgradeWaitForItsAnswer(String answer) throws IOException {
        ByteArrayOutputStream more = new ByteArrayOutputStream();
        serveAtOnce(socket -> {
            World.send(socket, answer);
            socket.getInputStream().transferTo(more);
        });
        guest("GET /1 HTTP/1.1\r\n" + HOST + "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + EVIL, false);
        world.await(Kind.REQUEST_DENIED, "http.host");
        assertThat(more.toString(StandardCharsets.ISO_8859_1)).isEmpty();
    }

    @Test
    void anInterimAnswerReachesAGuestThatWaitsForIt() throws IOException {
        serveAtOnce(socket -> {
            World.send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(socket.getInputStream().readNBytes(2)).isEqualTo(new byte[] {'h', 'i'});
            World.send(socket, OK);
        });
        try (Socket guest = world.dial(sandbox, SITE, 80)) {
            World.send(guest, post("Content-Length: 2", "Expect: 100-continue"));
            assertThat(guest.getInputStream().readNBytes(25)).asString().isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            World.send(guest, "hi");
            assertThat(World.receive(guest)).isEqualTo(OK);
        }
    }

    /// A server may answer a large body before it has come, and go: what it said is not lost.
    @Test
    void anEarlyAnswerIsNotLost() throws IOException {
        String tooLarge = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\n" + "x".repeat(100_000);
        for (int round = 0; round < 20; round++) {
            oneEarlyAnswer(8100 + round, tooLarge, false);
            // What a host itself loses with its reset is lost.
            oneEarlyAnswer(8200 + round, tooLarge.substring(0, 1000), true);
        }
    }

    private void oneEarlyAnswer(int port, String answer, boolean isReset) throws IOException {
        sandbox = world.sandbox(EgressIT.policy(List.of("a.example:" + port), Map.of(), Set.of()));
        World.lookUp(sandbox, "a.example");
        world.serve(SITE, port, socket -> {
            socket.getInputStream().readNBytes(1000);
            World.send(socket, answer);
            if (!isReset) {
                socket.shutdownOutput();
                socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
            }
        });
        try (Socket guest = world.dial(sandbox, SITE, port)) {
            Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    World.send(
                            guest,
                            "POST /1 HTTP/1.1\r\nHost: a.example:" + port + "\r\nContent-Length: 30000000\r\n\r\n");
                    guest.getOutputStream().write(new byte[30_000_000]);
                } catch (IOException _) {
                    // Nobody reads the rest.
                }
            });
            assertThat(World.receive(guest).replace("[reset]", "").length())
                    .as("reset " + isReset)
                    .isEqualTo(answer.length());
            sending.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// How a host goes, and what the guest sees behind what was sent.
    ///
    /// @param tls its version; empty for plain HTTP
    /// @param isWriting whether the guest still sends: then the kernel may tell the writer of the reset
    record Leaving(String tls, boolean isWriting, boolean isReset) {
        boolean isTls() {
            return !tls.isEmpty();
        }
    }

    static Stream<Leaving> leavings() {
        return Stream.of("", "TLSv1.2", "TLSv1.3")
                .flatMap(tls -> Stream.of(false, true)
                        .flatMap(writing -> Stream.of(false, true).map(reset -> new Leaving(tls, writing, reset))));
    }

    /// An answer without a length is complete when the connection ends, so a reset must not look like an end; and an
    /// end is none if the host takes no more of a body.
    @ParameterizedTest
    @MethodSource("leavings")
    void aResetIsNoEnd(Leaving leaving) throws IOException {
        for (int round = 0; round < (leaving.isWriting ? 3 : 1); round++) {
            oneLeaving(leaving, 8300 + round);
        }
    }

    private void oneLeaving(Leaving leaving, int port) throws IOException {
        String answer = "HTTP/1.1 200 OK\r\n\r\nthe first part";
        sandbox = leaving.isTls()
                ? world.sandbox(
                        EgressIT.policy(List.of("a.example:" + port), Map.of("a.example", Map.of("X", "y")), Set.of()))
                : world.sandbox(EgressIT.policy(List.of("a.example:" + port), Map.of(), Set.of()));
        World.lookUp(sandbox, "a.example");
        world.serve(SITE, port, socket -> answerAndLeave(leaving, socket, answer));
        Socket plain = world.dial(sandbox, SITE, port);
        try (Socket guest = leaving.isTls() ? World.secure(plain, sandbox.authorityPem(), "a.example") : plain) {
            World.send(
                    guest,
                    leaving.isWriting
                            ? "POST /1 HTTP/1.1\r\nHost: a.example:" + port + "\r\nContent-Length: 30000000\r\n\r\n"
                            : "GET /1 HTTP/1.1\r\nHost: a.example:" + port + "\r\n\r\n");
            Thread.ofVirtual().start(() -> {
                try {
                    guest.getOutputStream().write(new byte[leaving.isWriting ? 30_000_000 : 0]);
                } catch (IOException _) {
                    // Nobody reads the rest.
                }
            });
            assertThat(World.receive(guest)).isEqualTo(answer + (leaving.isReset ? "[reset]" : ""));
        }
    }

    private void answerAndLeave(Leaving leaving, Socket socket, String answer) throws IOException {
        socket.setTcpNoDelay(true);
        Socket spoken = socket;
        if (leaving.isTls()) {
            SSLSocket secure = world.tls(socket, "a.example");
            secure.setEnabledProtocols(new String[] {leaving.tls});
            spoken = secure;
        }
        spoken.getInputStream().readNBytes(40);
        World.send(spoken, answer);
        if (leaving.isReset) {
            // What the host itself loses with its reset is lost.
            pause();
            socket.setSoLinger(true, 0);
            socket.close();
        } else {
            spoken.shutdownOutput();
            pause();
            // What has come and was not read makes this a reset, behind the end.
            socket.close();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(30);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
