package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.SecretSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class RequestRewriterTest {
    private static final HostName HOST = new HostName("api.github.com");
    private static final SecretSource SECRETS = (sandbox, placeholder, host) -> host.equals(HOST)
            ? Optional.ofNullable(Map.of("GOOD", "s3cret", "BAD", "a\r\nb: c").get(placeholder.name()))
            : Optional.empty();

    private static RequestRewriter rewriter(boolean isTls, Map<String, String> headers) {
        SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
        headers.forEach((name, value) -> templates.put(name, HeaderTemplate.parse(value)));
        Optional<RequestRule> rule = headers.isEmpty()
                ? Optional.empty()
                : Optional.of(new RequestRule(HostPattern.parse(HOST.value()), templates));
        return new RequestRewriter(new SandboxId("i" + "a".repeat(20)), HOST, isTls ? 443 : 80, isTls, rule, SECRETS);
    }

    private static List<String> lines(RequestRewriter rewriter, String... request) throws HttpRefusal {
        String text =
                new String(rewriter.rewrite(HttpHeadTest.head(request), true).head(), StandardCharsets.ISO_8859_1);
        assertThat(text).endsWith("\r\n\r\n");
        return Arrays.asList(text.strip().split("\r\n", -1));
    }

    @Test
    void composesTheRequestAnew() throws HttpRefusal {
        assertThat(lines(
                        rewriter(true, Map.of()),
                        "POST https://API.github.com/x HTTP/1.1",
                        "X-One: 1",
                        "Host: API.github.com:443",
                        "Content-Length: 3",
                        "Connection: keep-alive, X-Hop",
                        "X-Hop: gone",
                        "Proxy-Connection: x",
                        "TE: trailers",
                        "Upgrade: h2c"))
                .containsExactly("POST /x HTTP/1.1", "Host: api.github.com", "X-One: 1", "Content-Length: 3");
    }

    @Test
    void setsHeadersInPlaceOfTheGuests() throws HttpRefusal {
        assertThat(lines(
                        rewriter(true, Map.of("Authorization", "Bearer ${e2b.secrets.GOOD}!")),
                        "GET / HTTP/1.1",
                        "Host: api.github.com",
                        "authorization: mine",
                        "AUTHORIZATION: mine too",
                        "Connection: Authorization"))
                .containsExactly("GET / HTTP/1.1", "Host: api.github.com", "Authorization: Bearer s3cret!");
    }

    @Test
    void saysWhichSecretIsMissing() {
        assertThatThrownBy(() ->
                        lines(rewriter(true, Map.of("A", "${secrets.NONE}")), "GET / HTTP/1.1", "Host: api.github.com"))
                .isInstanceOfSatisfying(
                        HttpRefusal.class, refusal -> assertThat(refusal.rule()).isEqualTo("secret.missing"))
                .hasMessageContaining("NONE");
        assertThatThrownBy(() ->
                        lines(rewriter(true, Map.of("A", "${secrets.BAD}")), "GET / HTTP/1.1", "Host: api.github.com"))
                .isInstanceOfSatisfying(
                        HttpRefusal.class, refusal -> assertThat(refusal.rule()).isEqualTo("secret.malformed"));
    }

    @Test
    void refusesOtherHostsAndTrace() {
        assertThatThrownBy(() -> lines(rewriter(true, Map.of()), "GET / HTTP/1.1", "Host: evil.example"))
                .isInstanceOfSatisfying(
                        HttpRefusal.class, refusal -> assertThat(refusal.rule()).isEqualTo("http.host"));
        assertThatThrownBy(() -> lines(rewriter(true, Map.of("A", "b")), "TRACE / HTTP/1.1", "Host: api.github.com"))
                .isInstanceOfSatisfying(
                        HttpRefusal.class, refusal -> assertThat(refusal.rule()).isEqualTo("http.trace"));
    }

    @Test
    void passesWebSocketsOnAndNoOtherProtocol() throws HttpRefusal {
        String[] request = {
            "GET /ws HTTP/1.1",
            "Host: api.github.com",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: x"
        };
        assertThat(lines(rewriter(false, Map.of()), request))
                .contains("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x");
        assertThat(rewriter(false, Map.of())
                        .rewrite(HttpHeadTest.head(request), true)
                        .isUpgrade())
                .isTrue();
        assertThat(rewriter(false, Map.of())
                        .rewrite(HttpHeadTest.head(request), false)
                        .isUpgrade())
                .as("not in the middle of other requests")
                .isFalse();
        assertThatThrownBy(() -> lines(
                        rewriter(false, Map.of()),
                        "GET /ws HTTP/1.1",
                        "Host: api.github.com",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Content-Length: 5"))
                .isInstanceOf(HttpRefusal.class);
        assertThat(lines(
                        rewriter(false, Map.of()),
                        "GET / HTTP/1.1",
                        "Host: api.github.com",
                        "Upgrade: h2c",
                        "Connection: Upgrade, HTTP2-Settings",
                        "HTTP2-Settings: x"))
                .containsExactly("GET / HTTP/1.1", "Host: api.github.com");
    }

    @Test
    void knowsTheLastRequest() throws HttpRefusal {
        RequestRewriter rewriter = rewriter(false, Map.of());
        assertThat(rewriter.rewrite(HttpHeadTest.head("GET / HTTP/1.0", "Host: api.github.com"), true)
                        .isLast())
                .isTrue();
        assertThat(rewriter.rewrite(
                                HttpHeadTest.head("GET / HTTP/1.1", "Host: api.github.com", "Connection: Close"), true)
                        .isLast())
                .isTrue();
        assertThat(rewriter.rewrite(HttpHeadTest.head("GET / HTTP/1.1", "Host: api.github.com"), true)
                        .isLast())
                .isFalse();
    }

    /// Some servers hand headers to programs as variables, where `X_Key` and `X-Key` are one.
    @Test
    void headersWithUnderscoresDoNotStandForOthers() throws HttpRefusal {
        assertThat(lines(
                        rewriter(true, Map.of("X-Key", "${secrets.GOOD}")),
                        "POST / HTTP/1.1",
                        "Host: api.github.com",
                        "X_Key: mine",
                        "x-key: mine",
                        "Content_Length: 9",
                        "Transfer_Encoding: chunked",
                        "X_Other: stays"))
                .containsExactly("POST / HTTP/1.1", "Host: api.github.com", "X_Other: stays", "X-Key: s3cret");
    }

    @Test
    void writesHowABodyEndsInOneWay() throws HttpRefusal {
        assertThat(lines(
                        rewriter(true, Map.of()),
                        "POST / HTTP/1.1",
                        "Host: api.github.com",
                        "Connection: Content-Length, Expect, Content-Type",
                        "Content-Type: a/b",
                        "content-length: 0010",
                        "expect: 100-CONTINUE"))
                .containsExactly(
                        "POST / HTTP/1.1",
                        "Host: api.github.com",
                        "Content-Type: a/b",
                        "Expect: 100-continue",
                        "Content-Length: 10");
        assertThat(lines(
                        rewriter(true, Map.of()),
                        "POST / HTTP/1.0",
                        "Host: api.github.com",
                        "Content-Length: 0",
                        "Expect: anything"))
                .containsExactly("POST / HTTP/1.0", "Host: api.github.com", "Content-Length: 0", "Connection: close");
        for (String expect : List.of("x", "100-continue, x", "", "x 100-continue")) {
            assertThatThrownBy(() -> lines(
                            rewriter(true, Map.of()),
                            "POST / HTTP/1.1",
                            "Host: api.github.com",
                            "Content-Length: 1",
                            "Expect: " + expect))
                    .as(expect)
                    .isInstanceOf(HttpRefusal.class)
                    .hasMessageContaining("Expect");
        }
    }
}
