package dev.glovebox.server.e2b.traffic;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The head of what a server inside a sandbox answered, as a client gets it. Pure.
final class GuestAnswer {
    private static final Pattern DOMAIN = Pattern.compile("(?i);\\s*domain\\s*=[^;]*");

    private GuestAnswer() {}

    /// Puts status and headers into a response.
    static void into(ServerResponse response, GuestResponse answer) {
        Set<String> dropped = new HashSet<>(GuestRequest.HOP_BY_HOP);
        dropped.addAll(GuestRequest.words(answer.headers().all(HeaderNames.CONNECTION, List::of)));
        if (answer.status() == 204 || answer.status() == 205 || answer.status() == 304) {
            dropped.add("content-length");
        }
        for (Header header : answer.headers()) {
            String name = header.headerName().lowerCase();
            if (!dropped.contains(name)) {
                response.header(HeaderValues.create(
                        header.headerName(),
                        header.allValues().stream()
                                .map(value -> name.equals("set-cookie") ? ofThisHost(value) : value)
                                .toArray(String[]::new)));
            }
        }
        response.status(Status.create(answer.status()));
    }

    /// A cookie that no other sandbox gets: one with a domain would be sent to every name below it.
    static String ofThisHost(String cookie) {
        return DOMAIN.matcher(cookie).replaceAll("");
    }

    /// The head of an answer that switches protocols, ready to be sent.
    static String switching(GuestResponse answer) {
        StringBuilder head = new StringBuilder("HTTP/1.1 101 Switching Protocols\r\n");
        for (Header header : answer.headers()) {
            String name = header.headerName().lowerCase();
            for (String value : header.allValues()) {
                head.append(header.name())
                        .append(": ")
                        .append(name.equals("set-cookie") ? ofThisHost(value) : value)
                        .append("\r\n");
            }
        }
        return head.append("\r\n").toString();
    }
}
