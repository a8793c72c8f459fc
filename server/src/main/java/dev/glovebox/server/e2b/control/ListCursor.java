package dev.glovebox.server.e2b.control;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;

/// Where a page of a list ended. Opaque to clients.
record ListCursor(Instant createdAt, SandboxId id, boolean ascending) {
    private static final String ASCENDING = "asc";
    private static final String SEPARATOR = "__";
    private static final int CHARS_MAX = 256;

    static ListCursor of(Sandbox last, boolean ascending) {
        return new ListCursor(last.createdAt(), last.id(), ascending);
    }

    /// Reads what [#text] wrote.
    static ListCursor parse(String text) {
        try {
            if (text.length() <= CHARS_MAX) {
                String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
                String[] parts = plain.split(SEPARATOR, -1);
                if (parts.length == 2 || (parts.length == 3 && parts[2].equals(ASCENDING))) {
                    return new ListCursor(Instant.parse(parts[0]), new SandboxId(parts[1]), parts.length == 3);
                }
            }
        } catch (IllegalArgumentException | DateTimeException | GloveboxException _) {
            // Said below.
        }
        throw ControlError.invalid("Invalid next token: it is the header 'x-next-token' of the page before");
    }

    String text() {
        String plain = createdAt + SEPARATOR + id + (ascending ? SEPARATOR + ASCENDING : "");
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /// The order of a list.
    static Comparator<Sandbox> order(boolean ascending) {
        Comparator<Sandbox> oldestFirst = Comparator.comparing(Sandbox::createdAt)
                .thenComparing(sandbox -> sandbox.id().value());
        return ascending ? oldestFirst : oldestFirst.reversed();
    }

    /// Whether a sandbox comes after this place.
    boolean isBefore(Sandbox sandbox) {
        int time = sandbox.createdAt().compareTo(createdAt);
        int place = time != 0 ? time : sandbox.id().value().compareTo(id.value());
        return ascending ? place > 0 : place < 0;
    }
}
