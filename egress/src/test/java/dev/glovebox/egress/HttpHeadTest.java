package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.Handshake;
import dev.glovebox.core.egress.HostName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Heads, where they go, and how their bodies end.
class HttpHeadTest {
    static HttpHead head(String... lines) throws HttpRefusal {
        byte[] bytes = (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        return HttpHead.parse(bytes, bytes.length);
    }

    private static void refused(String rule, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(HttpRefusal.class, refusal -> {
            assertThat(refusal.rule()).isEqualTo(rule);
            assertThat(refusal.reason()).matches("[\\x20-\\x7e]+");
        });
    }

    @Test
    void readsAHead() throws HttpRefusal {
        HttpHead head = head("POST /a?b=c HTTP/1.1", "Host: a.example", "X-Y:  z \t", "Empty:", "x-y: 2");
        assertThat(head.method()).isEqualTo("POST");
        assertThat(head.target()).isEqualTo("/a?b=c");
        assertThat(head.minorVersion()).isEqualTo(1);
        assertThat(head.values("X-Y")).containsExactly("z", "2");
        assertThat(head.values("empty")).containsExactly("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\nHost: a",
                "GET  / HTTP/1.1",
                "GET / HTTP/1.1 ",
                " GET / HTTP/1.1",
                "GET / HTTP/1.2",
                "GET / HTTP/2.0",
                "GET / http/1.1",
                "GET /\u0001 HTTP/1.1",
                "GET /\u00fc HTTP/1.1",
                "GET",
                "",
                "GET / HTTP/1.1\r\nHost : a",
                "GET / HTTP/1.1\r\n Host: a",
                "GET / HTTP/1.1\r\nHost: a\r\n folded",
                "GET / HTTP/1.1\r\nHost: a\rb",
                "GET / HTTP/1.1\r\nHost: a\u0000b",
                "GET / HTTP/1.1\r\nHo st: a",
                "GET / HTTP/1.1\r\n: a",
                "GET / HTTP/1.1\r\nHost",
                "GET / HTTP/1.1\r\nX: a\nTransfer-Encoding: chunked"
            })
    void refusesWhatCouldBeReadInTwoWays(String text) {
        refused("http.malformed", () -> head(text));
    }

    @Test
    void refusesOtherVersionsInWords() {
        refused("http.version", () -> head("PRI * HTTP/2.0", ""));
    }

    @Test
    void linesAreBounded() {
        String[] lines = new String[Limits.EGRESS_REQUEST_FIELDS_MAX + 2];
        java.util.Arrays.fill(lines, "A: b");
        lines[0] = "GET / HTTP/1.1";
        refused("http.malformed", () -> head(lines));
    }

    private static RequestTarget target(String line, int port, String... hosts) throws HttpRefusal {
        String[] lines = new String[hosts.length + 1];
        lines[0] = line;
        for (int i = 0; i < hosts.length; i++) {
            lines[i + 1] = "Host: " + hosts[i];
        }
        return RequestTarget.of(head(lines), port, port == 443);
    }

    @Test
    void findsHostAndPath() throws HttpRefusal {
        HostName host = new HostName("a.example");
        assertThat(target("GET /x?y HTTP/1.1", 80, "A.Example.")).isEqualTo(new RequestTarget(host, "/x?y"));
        assertThat(target("GET /x HTTP/1.1", 8080, "a.example:8080")).isEqualTo(new RequestTarget(host, "/x"));
        assertThat(target("GET http://a.example/x HTTP/1.1", 80, "a.example")).isEqualTo(new RequestTarget(host, "/x"));
        assertThat(target("GET https://a.example:443?y HTTP/1.1", 443, "a.example"))
                .isEqualTo(new RequestTarget(host, "/?y"));
        assertThat(target("OPTIONS * HTTP/1.1", 80, "a.example").path()).isEqualTo("*");
    }

    @Test
    void refusesTwoHosts() {
        refused("http.host", () -> target("GET / HTTP/1.1", 80));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "a.example", "a.example"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "a.example, b.example"));
        refused("http.host", () -> target("GET http://b.example/ HTTP/1.1", 80, "a.example"));
        refused("http.host", () -> target("GET http://a.example@b.example/ HTTP/1.1", 80, "a.example"));
        refused("http.host", () -> target("GET http://a.example:81/ HTTP/1.1", 80, "a.example"));
        refused("http.host", () -> target("GET https://a.example/ HTTP/1.1", 80, "a.example"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "a.example:81"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "a.example:"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "u@a.example"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "127.0.0.1"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "0x7f.1"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, "[::1]"));
        refused("http.host", () -> target("GET / HTTP/1.1", 80, ""));
        refused("http.connect", () -> target("CONNECT b.example:443 HTTP/1.1", 80, "a.example"));
        refused("http.malformed", () -> target("GET b.example HTTP/1.1", 80, "a.example"));
        refused("http.malformed", () -> target("GET * HTTP/1.1", 80, "a.example"));
        refused("http.malformed", () -> target("GET ftp://a.example/ HTTP/1.1", 80, "a.example"));
        refused("http.malformed", () -> target("GET /a#b HTTP/1.1", 80, "a.example"));
    }

    @Test
    void findsTheEnd() throws HttpRefusal {
        assertThat(BodyFraming.of(head("GET / HTTP/1.1"))).isEqualTo(new BodyFraming.Length(0));
        assertThat(BodyFraming.of(head("POST / HTTP/1.1", "content-length: 12")))
                .isEqualTo(new BodyFraming.Length(12));
        assertThat(BodyFraming.of(head("POST / HTTP/1.1", "Transfer-Encoding: Chunked")))
                .isEqualTo(new BodyFraming.Chunked());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.1 | Content-Length: 1 | Content-Length: 1",
                "1.1 | Content-Length: 1 | Transfer-Encoding: chunked",
                "1.1 | Content-Length: 1, 1 | A: b",
                "1.1 | Content-Length: +1 | A: b",
                "1.1 | Content-Length: 0x1 | A: b",
                "1.1 | Content-Length: -1 | A: b",
                "1.1 | Content-Length: 9999999999999999999 | A: b",
                "1.1 | Content-Length:  | A: b",
                "1.1 | Transfer-Encoding: gzip, chunked | A: b",
                "1.1 | Transfer-Encoding: chunked | Transfer-Encoding: chunked",
                "1.1 | Transfer-Encoding: xchunked | A: b",
                "1.1 | Transfer-Encoding: identity | A: b",
                "1.1 | Transfer-Encoding: chunked, identity | A: b",
                "1.0 | Transfer-Encoding: chunked | A: b",
            })
    void refusesTwoEnds(String version, String one, String other) {
        refused("http.framing", () -> BodyFraming.of(head("POST / HTTP/" + version, one, other)));
    }

    private static Optional<Handshake> feed(RequestHost reader, String text, int piece) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        Optional<Handshake> found = Optional.empty();
        for (int at = 0; at < bytes.length && found.isEmpty(); at += piece) {
            byte[] part = java.util.Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece));
            found = reader.feed(part, part.length);
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000})
    void readsTheHostOfTheFirstRequest(int piece) {
        assertThat(feed(new RequestHost(80), "GET / HTTP/1.1\r\nHost: a.example\r\n\r\nbody", piece))
                .contains(new Handshake.Http(new HostName("a.example")));
        assertThat(feed(new RequestHost(80), "GET / HTTP/1.1\r\nHost: a.example\r\n", piece))
                .isEmpty();
        assertThat(feed(new RequestHost(80), "EHLO me\nMAIL FROM", piece))
                .get()
                .isInstanceOf(Handshake.Unreadable.class);
        assertThat(feed(new RequestHost(80), "A".repeat(Limits.EGRESS_REQUEST_HEAD_BYTES_MAX + 1), piece))
                .get()
                .isInstanceOf(Handshake.Unreadable.class);
        assertThat(feed(new RequestHost(80), "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", piece))
                .contains(new Handshake.Unreadable("the request has Host more than once"));
    }

    @Test
    void tellsTlsFromHttpByTheFirstByte() {
        assertThat(new AskedName(443).feed(ClientHelloTest.real("a.example"), 5))
                .isEmpty();
        byte[] hello = ClientHelloTest.real("a.example");
        AskedName asked = new AskedName(443);
        assertThat(asked.feed(hello, hello.length))
                .contains(new Handshake.Tls(Optional.of(new HostName("a.example")), false));
        assertThat(asked.bytes()).isEqualTo(hello);
        byte[] ssh = "SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(new AskedName(80).feed(ssh, ssh.length)).isEmpty();
        assertThat(new AskedName(80).feed(new byte[] {0, 1}, 2)).get().isInstanceOf(Handshake.Unreadable.class);
        assertThat(new AskedName(80).feed(new byte[] {(byte) 0x80, 1}, 2))
                .get()
                .isInstanceOf(Handshake.Unreadable.class);
    }

    /// One head of 32 KiB could keep a thread busy for seconds, and threads are what all sandboxes share.
    @Test
    void blanksWithoutAnEndCostNoTime() {
        int most = Limits.EGRESS_REQUEST_HEAD_BYTES_MAX - 100;
        for (String value : List.of(
                " ".repeat(most) + "\u0000",
                "\t".repeat(most) + "\u007f",
                " ".repeat(most / 2) + "a".repeat(most / 2) + "\u0000",
                " a".repeat(most / 2) + "\u0000",
                "a ".repeat(most / 2) + "\u0000")) {
            assertTimeoutPreemptively(
                    Duration.ofSeconds(1), () -> refused("http.malformed", () -> head("GET / HTTP/1.1", "A:" + value)));
        }
        assertTimeoutPreemptively(
                Duration.ofSeconds(1), () -> refused("http.malformed", () -> head("GET / HTTP/1.1", "A".repeat(most))));
    }

    /// Whatever passes, its parts are clean.
    @Test
    void randomHeadsAreCleanOrRefused() {
        Random random = new Random(5);
        List<String> pieces = List.of(
                "GET",
                "CONNECT",
                " ",
                "/",
                "http://a.example",
                "HTTP/1.1",
                "\r\n",
                "\n",
                "\r",
                "Host",
                ":",
                "a.example",
                "b.example",
                "Transfer-Encoding",
                "chunked",
                "Content-Length",
                "5",
                "\t",
                "\u0000",
                "\u00e9",
                "#",
                "@",
                "*");
        int passed = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder(i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: a.example\r\n" : "");
            for (int j = random.nextInt(12); j > 0; j--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            byte[] bytes = (text + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
            try {
                HttpHead head = HttpHead.parse(bytes, bytes.length);
                RequestTarget target = RequestTarget.of(head, 80, false);
                BodyFraming.of(head);
                passed++;
                assertThat(target.path()).matches("/[\\x21-\\x7e]*|\\*");
                assertThat(head.values("Host")).hasSize(1);
                for (HttpField field : head.fields()) {
                    assertThat(field.name()).matches("[!-~&&[^:]]+");
                    assertThat(field.value()).doesNotContain("\r", "\n", "\u0000");
                }
            } catch (HttpRefusal refusal) {
                assertThat(refusal.rule()).startsWith("http.");
            }
        }
        assertThat(passed).isGreaterThan(1000);
    }
}
