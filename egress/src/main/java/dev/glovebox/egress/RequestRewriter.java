package dev.glovebox.egress;

import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.SecretSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Checks each request to a host and writes it anew: what goes out was composed here, and holds nothing of the
/// guest's that was not understood. Thread-safe.
final class RequestRewriter {
    /// What concerns this connection only, or a proxy: composed anew where it is needed.
    private static final Set<String> HOP_BY_HOP = Set.of(
            "host",
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "te",
            "trailer",
            "upgrade",
            "http2-settings",
            "expect",
            "content-length",
            "transfer-encoding");
    /// The one expectation there is (RFC 9110, section 10.1.1).
    private static final String CONTINUE = "100-continue";

    private final SandboxId sandbox;
    private final HostName host;
    private final int port;
    private final boolean isTls;
    private final Optional<RequestRule> rule;
    private final SecretSource secrets;

    RequestRewriter(
            SandboxId sandbox,
            HostName host,
            int port,
            boolean isTls,
            Optional<RequestRule> rule,
            SecretSource secrets) {
        this.sandbox = sandbox;
        this.host = host;
        this.port = port;
        this.isTls = isTls;
        this.rule = rule;
        this.secrets = secrets;
    }

    /// A request as it goes out.
    ///
    /// @param isUpgrade whether the guest wants to speak WebSocket from here on
    /// @param isLast whether the guest wants the connection closed after it
    record Outgoing(byte[] head, BodyFraming body, boolean isUpgrade, boolean isLast) {}

    /// Checks and rewrites.
    ///
    /// @param mayUpgrade whether nothing else is under way on the connection
    /// @throws HttpRefusal if it is not to be passed on
    Outgoing rewrite(HttpHead head, boolean mayUpgrade) throws HttpRefusal {
        RequestTarget target = RequestTarget.of(head, port, isTls);
        if (!target.host().equals(host)) {
            throw new HttpRefusal(
                    "http.host", "the connection was made for " + host + ", the request is for " + target.host());
        }
        if (rule.isPresent() && head.method().equalsIgnoreCase("TRACE")) {
            throw new HttpRefusal("http.trace", "TRACE would show the sandbox what the rule for " + host + " adds");
        }
        BodyFraming body = BodyFraming.of(head);
        // HTTP/1.0 could go on too, but only with words of its own that nobody needs any more.
        boolean isLast = head.minorVersion() == 0 || tokens(head).contains("close");
        boolean isUpgrade = mayUpgrade && !isLast && wantsWebSocket(head);
        if (isUpgrade && !body.equals(new BodyFraming.Length(0))) {
            throw BodyFraming.refusal("it has a body and asks for another protocol");
        }
        return new Outgoing(compose(head, target, body, isUpgrade, isLast), body, isUpgrade, isLast);
    }

    private byte[] compose(HttpHead head, RequestTarget target, BodyFraming body, boolean isUpgrade, boolean isLast)
            throws HttpRefusal {
        StringBuilder text = new StringBuilder(512);
        text.append(head.method())
                .append(' ')
                .append(target.path())
                .append(" HTTP/1.")
                .append(head.minorVersion())
                .append("\r\n");
        text.append("Host: ").append(host);
        if (port != (isTls ? 443 : 80)) {
            text.append(':').append(port);
        }
        text.append("\r\n");
        Set<String> named = tokens(head);
        List<String> set = new ArrayList<>();
        rule.ifPresent(it -> it.headers().keySet().forEach(name -> set.add(meaning(name))));
        for (HttpField field : head.fields()) {
            String name = meaning(field.name());
            if (!HOP_BY_HOP.contains(name) && !set.contains(name) && (!named.contains(name) || isEndToEnd(name))) {
                text.append(field.name()).append(": ").append(field.value()).append("\r\n");
            }
        }
        if (rule.isPresent()) {
            for (Map.Entry<String, HeaderTemplate> header : rule.get().headers().entrySet()) {
                text.append(header.getKey())
                        .append(": ")
                        .append(value(header.getValue()))
                        .append("\r\n");
            }
        }
        if (expectsContinue(head, body)) {
            text.append("Expect: ").append(CONTINUE).append("\r\n");
        }
        if (body instanceof BodyFraming.Length(long bytes)
                && !head.values("Content-Length").isEmpty()) {
            text.append("Content-Length: ").append(bytes).append("\r\n");
        } else if (body instanceof BodyFraming.Chunked) {
            text.append("Transfer-Encoding: chunked\r\n");
        }
        if (isUpgrade) {
            text.append("Connection: Upgrade\r\nUpgrade: websocket\r\n");
        } else if (isLast) {
            text.append("Connection: close\r\n");
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /// What a guest cannot have dropped by naming it in Connection.
    private static boolean isEndToEnd(String name) {
        return name.equals("content-type");
    }

    /// A header's name as servers may take it: some hand headers to programs as variables (RFC 3875), where a
    /// hyphen and an underscore are one.
    private static String meaning(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Whether the guest waits for leave to send its body. Without a body, or with HTTP/1.0, the words mean
    /// nothing and are dropped: a server that took them otherwise would wait for bytes of the next request.
    private static boolean expectsContinue(HttpHead head, BodyFraming body) throws HttpRefusal {
        List<String> expectations = head.values("Expect");
        if (expectations.isEmpty() || head.minorVersion() == 0) {
            return false;
        }
        if (expectations.size() > 1 || !expectations.getFirst().equalsIgnoreCase(CONTINUE)) {
            throw BodyFraming.refusal("Expect is not just " + CONTINUE);
        }
        return !body.equals(new BodyFraming.Length(0));
    }

    private String value(HeaderTemplate template) throws HttpRefusal {
        StringBuilder text = new StringBuilder();
        for (HeaderTemplate.Part part : template.parts()) {
            switch (part) {
                case HeaderTemplate.Text literal -> text.append(literal.value());
                case HeaderTemplate.Placeholder placeholder -> text.append(secret(placeholder));
            }
        }
        return text.toString();
    }

    private String secret(HeaderTemplate.Placeholder placeholder) throws HttpRefusal {
        String value = secrets.value(sandbox, placeholder, host)
                .orElseThrow(() -> new HttpRefusal(
                        "secret.missing",
                        "there is no secret " + placeholder.name() + " that is bound to " + host
                                + " and that this sandbox may use"));
        if (!HeaderTemplate.isFieldValue(value)) {
            throw new HttpRefusal(
                    "secret.malformed",
                    "the secret " + placeholder.name() + " holds characters that no header can: set it again");
        }
        return value;
    }

    private static Set<String> tokens(HttpHead head) {
        Set<String> tokens = new java.util.HashSet<>();
        for (String value : head.values("Connection")) {
            for (String token : value.split(",", -1)) {
                tokens.add(token.strip().toLowerCase(Locale.ROOT));
            }
        }
        return tokens;
    }

    private static boolean wantsWebSocket(HttpHead head) {
        List<String> upgrades = head.values("Upgrade");
        return upgrades.size() == 1
                && upgrades.getFirst().equalsIgnoreCase("websocket")
                && tokens(head).contains("upgrade")
                && head.minorVersion() == 1
                && head.method().equals("GET");
    }
}
