package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The value of a header as it is written in a rule: text with placeholders, which are filled outside the
/// sandbox with what it never sees. `${e2b.secrets.NAME}` or `${secrets.NAME}` is a secret,
/// `${e2b.identity.tokens.NAME}` a token that is made for the sandbox.
///
/// @param text as it was written; safe to show, for the secrets are not in it
public record HeaderTemplate(String text, List<Part> parts) {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)\\}");
    private static final Pattern SECRET = Pattern.compile("(?:e2b\\.)?secrets\\.([A-Za-z0-9_-]{1,64})");
    private static final Pattern TOKEN = Pattern.compile("e2b\\.identity\\.tokens\\.([A-Za-z0-9_-]{1,64})");

    public HeaderTemplate {
        parts = List.copyOf(parts);
    }

    /// A piece of a value.
    public sealed interface Part {}

    public record Text(String value) implements Part {}

    /// Something that is filled in.
    public sealed interface Placeholder extends Part {
        String name();
    }

    public record Secret(String name) implements Placeholder {}

    public record IdentityToken(String name) implements Placeholder {}

    /// Reads a value.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if it is too long, holds what no header can, or a placeholder
    ///     that is not known
    public static HeaderTemplate parse(String text) {
        if (text.length() > Limits.NETWORK_HEADER_VALUE_CHARS_MAX) {
            throw invalid("a header value of " + text.length() + " characters is longer than the bound of "
                    + Limits.NETWORK_HEADER_VALUE_CHARS_MAX);
        }
        if (!isFieldValue(text)) {
            throw invalid("a header value holds printable ASCII, spaces and tabs only");
        }
        List<Part> parts = new ArrayList<>();
        Matcher matcher = PLACEHOLDER.matcher(text);
        int at = 0;
        while (matcher.find()) {
            if (matcher.start() > at) {
                parts.add(new Text(text.substring(at, matcher.start())));
            }
            parts.add(placeholder(matcher.group(1)));
            at = matcher.end();
        }
        if (text.indexOf("${", at) >= 0) {
            throw invalid("a placeholder in a header value is not closed with '}'");
        }
        if (at < text.length()) {
            parts.add(new Text(text.substring(at)));
        }
        return new HeaderTemplate(text, parts);
    }

    /// Whether a text can be a header's value on the wire: also asked of every secret before it is sent.
    public static boolean isFieldValue(String text) {
        return text.chars().allMatch(c -> (c >= 0x20 && c <= 0x7e) || c == '\t');
    }

    public boolean hasPlaceholders() {
        return parts.stream().anyMatch(Placeholder.class::isInstance);
    }

    private static Part placeholder(String words) {
        Matcher secret = SECRET.matcher(words);
        if (secret.matches()) {
            return new Secret(secret.group(1));
        }
        Matcher token = TOKEN.matcher(words);
        if (token.matches()) {
            return new IdentityToken(token.group(1));
        }
        throw invalid("the placeholder ${" + HostName.printable(words) + "} is not known: there are"
                + " ${e2b.secrets.NAME} and ${e2b.identity.tokens.NAME}");
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
