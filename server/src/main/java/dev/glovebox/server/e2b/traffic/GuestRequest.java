package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A request as a server inside a sandbox gets it: in HTTP/1.1, without what is only between the client and us. Pure.
final class GuestRequest {
    /// What concerns one connection and not the next.
    static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings");

    /// Ours, and what we say anew.
    private static final Set<String> OURS = Set.of(
            "host",
            "content-length",
            "expect",
            "x-helidon-cn",
            "e2b-sandbox-id",
            "e2b-sandbox-port",
            "e2b-traffic-access-token",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto");

    /// Keys of this server and tokens of sandboxes, which no sandbox must see: a server inside may use headers of the
    /// same names for its own.
    private static final Pattern SECRET = Pattern.compile("(?i:bearer +)?(e2b_[0-9a-f]{40}|[0-9a-f]{64})");

    private static final Set<String> MAY_HOLD_SECRETS = Set.of("x-access-token", "x-api-key", "authorization");

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VISIBLE = Pattern.compile("[^\\x00-\\x20\\x7f]+");
    private static final Pattern ON_ONE_LINE = Pattern.compile("[^\\x00\\r\\n]*");

    private GuestRequest() {}

    /// How the body is sent on.
    enum Framing {
        NONE,
        LENGTH,
        CHUNKS
    }

    static Framing framing(ServerRequest request) {
        if (!request.content().hasEntity()) {
            return Framing.NONE;
        }
        return request.headers().contains(HeaderNames.CONTENT_LENGTH) ? Framing.LENGTH : Framing.CHUNKS;
    }

    /// The protocol that a request wants to go on with; empty for one that stays HTTP.
    static Optional<String> upgrade(ServerRequest request) {
        boolean isAsked =
                words(request.headers().all(HeaderNames.CONNECTION, List::of)).contains("upgrade");
        return isAsked ? request.headers().first(HeaderNames.UPGRADE) : Optional.empty();
    }

    /// The head, ready to be sent.
    ///
    /// @param upgrade the protocol to go on with
    static byte[] head(ServerRequest request, SandboxTarget target, Optional<String> upgrade) {
        StringBuilder head = new StringBuilder(512);
        String query = request.prologue().query().rawValue();
        head.append(checked("method", TOKEN, request.prologue().method().text()))
                .append(' ')
                .append(checked(
                        "path", VISIBLE, request.prologue().uriPath().rawPath() + (query.isEmpty() ? "" : "?" + query)))
                .append(" HTTP/1.1\r\n");
        String host = request.headers().first(HeaderNames.HOST).orElse("");
        Optional<String> masked = target.sandbox()
                .facts()
                .maskedHost()
                .map(mask -> mask.replace("${PORT}", Integer.toString(target.port())));
        line(head, "Host", masked.orElse(host));
        Set<String> dropped = new HashSet<>(words(request.headers().all(HeaderNames.CONNECTION, List::of)));
        for (Header header : request.headers()) {
            copy(head, header, dropped, masked);
        }
        line(head, "X-Forwarded-For", client(request));
        line(head, "X-Forwarded-Host", host);
        line(head, "X-Forwarded-Proto", request.isSecure() ? "https" : "http");
        switch (framing(request)) {
            case NONE -> {}
            case LENGTH ->
                line(
                        head,
                        "Content-Length",
                        request.headers().get(HeaderNames.CONTENT_LENGTH).get());
            case CHUNKS -> line(head, "Transfer-Encoding", "chunked");
        }
        line(head, "Connection", upgrade.isPresent() ? "Upgrade" : "close");
        upgrade.ifPresent(protocol -> line(head, "Upgrade", protocol));
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void copy(StringBuilder head, Header header, Set<String> dropped, Optional<String> masked) {
        String name = header.headerName().lowerCase();
        if (HOP_BY_HOP.contains(name) || OURS.contains(name) || dropped.contains(name) || name.startsWith(":")) {
            return;
        }
        // HTTP/2 may split cookies, HTTP/1.1 may not.
        for (String value :
                name.equals("cookie") ? List.of(String.join("; ", header.allValues())) : header.allValues()) {
            boolean isSecret = MAY_HOLD_SECRETS.contains(name)
                    && SECRET.matcher(value.strip()).matches();
            if (!isSecret) {
                boolean isOrigin = masked.isPresent() && name.equals("origin") && value.contains("://");
                line(
                        head,
                        header.name(),
                        isOrigin ? value.substring(0, value.indexOf("://") + 3) + masked.get() : value);
            }
        }
    }

    private static String client(ServerRequest request) {
        return request.remotePeer().address() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "local";
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(checked("header's name", TOKEN, name))
                .append(": ")
                .append(checked("header", ON_ONE_LINE, value))
                .append("\r\n");
    }

    /// HTTP/2 carries anything; in HTTP/1.1 a line break would begin another request.
    private static String checked(String what, Pattern form, String text) {
        if (!form.matcher(text).matches()) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "the request's " + what + " is none in HTTP/1.1");
        }
        return text;
    }

    /// The words of a header that lists some, in lower case.
    static Set<String> words(List<String> values) {
        Set<String> words = new HashSet<>();
        for (String value : values) {
            Arrays.stream(value.split(",", -1))
                    .map(word -> word.strip().toLowerCase(Locale.ROOT))
                    .forEach(words::add);
        }
        return words;
    }

    static boolean isHead(ServerRequest request) {
        return request.prologue().method().text().equals("HEAD");
    }
}
