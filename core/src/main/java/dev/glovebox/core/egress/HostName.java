package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.lang.Character.UnicodeScript;
import java.net.IDN;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A DNS name in its one spelling: lower case, no dot at the end, letters beyond ASCII as A-labels (`xn--`).
/// Two names are the same place exactly if they are equal.
public record HostName(String value) {
    private static final int CHARS_MAX = 253;
    private static final int LABEL_CHARS_MAX = 63;
    /// Letters of which the two editions of IDNA make different names (RFC 5894, section 7.2), and signs that one
    /// of them leaves out: sharp s, final sigma, joiners, soft hyphens and selectors of variants.
    private static final Pattern TWO_WAYS =
            Pattern.compile("[\u00df\u1e9e\u03c2\\p{Cf}\u034f\u1806\u180b-\u180d\ufe00-\ufe0f]");

    public HostName {
        if (!isNormal(value)) {
            throw new IllegalArgumentException("not a host name in its normal spelling");
        }
    }

    /// A name as it comes from a guest's query, handshake or request: ASCII only, any case, at most one dot at
    /// the end. Empty if it is not a name; what ends in a number is an address in disguise, and not a name
    /// either.
    public static Optional<HostName> parse(String text) {
        String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        name = lowerCase(name);
        return isNormal(name) ? Optional.of(new HostName(name)) : Optional.empty();
    }

    /// A name as people write it in a rule; letters beyond ASCII become A-labels.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if it is not a name, or could be taken for another
    public static HostName ofRule(String text) {
        String name = text;
        if (!isAscii(text)) {
            name = toAscii(text);
        }
        String given = name;
        return parse(given).orElseThrow(() -> invalid("\"" + printable(text) + "\" is not a host name"));
    }

    /// Whether it is `localhost` or lies below it: the machine itself, wherever it is asked for (RFC 6761). Such a name
    /// never goes out.
    public boolean isLocal() {
        return value.equals("localhost") || value.endsWith(".localhost");
    }

    /// The text with everything shown as `?` that a terminal or a log could misunderstand, and cut to a name's
    /// length.
    public static String printable(String text) {
        String cut = text.length() > CHARS_MAX ? text.substring(0, CHARS_MAX) + "..." : text;
        return cut.replaceAll("[^\\x21-\\x7e]", "?");
    }

    private static String toAscii(String text) {
        for (String label : text.split("\\.", -1)) {
            if (!isAscii(label)) {
                checkLabel(text, label);
            }
        }
        try {
            return IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            throw invalid("\"" + printable(text) + "\" is not a host name");
        }
    }

    /// Refuses labels that look like another name: letters of two scripts in one, or letters that only become
    /// ASCII when they are mapped (full-width ones, other dots).
    private static void checkLabel(String name, String label) {
        Set<UnicodeScript> scripts = EnumSet.noneOf(UnicodeScript.class);
        label.codePoints().mapToObj(UnicodeScript::of).forEach(scripts::add);
        scripts.remove(UnicodeScript.COMMON);
        scripts.remove(UnicodeScript.INHERITED);
        // Japanese is written in three scripts, and none of their letters looks like one of another alphabet.
        if (scripts.removeAll(Set.of(UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA))) {
            scripts.add(UnicodeScript.HAN);
        }
        if (scripts.size() > 1) {
            throw invalid(
                    "\"" + printable(name) + "\" mixes letters of several alphabets in one part and could be taken"
                            + " for another name: write it as its A-label (xn--...) if it is meant");
        }
        if (TWO_WAYS.matcher(label).find()) {
            throw invalid(
                    "\"" + printable(name) + "\" holds a letter that is read in two ways, as two names: write it as"
                            + " its A-label (xn--...)");
        }
        String mapped;
        try {
            mapped = IDN.toASCII(label, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            throw invalid("\"" + printable(name) + "\" is not a host name");
        }
        if (!mapped.startsWith("xn--") || mapped.indexOf('.') >= 0) {
            throw invalid("\"" + printable(name) + "\" holds characters that only look like ASCII: write it in ASCII");
        }
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    /// ASCII only: the letter K has a sign in Unicode that becomes a plain k.
    private static String lowerCase(String text) {
        return isAscii(text) ? text.toLowerCase(Locale.ROOT) : text;
    }

    private static boolean isNormal(String name) {
        if (name.isEmpty() || name.length() > CHARS_MAX) {
            return false;
        }
        String[] labels = name.split("\\.", -1);
        for (String label : labels) {
            // An underscore is not a letter of host names, but many are in use.
            if (label.length() > LABEL_CHARS_MAX || !label.matches("[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?")) {
                return false;
            }
        }
        return !labels[labels.length - 1].matches("[0-9]+|0x[0-9a-f]*");
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }

    @Override
    public String toString() {
        return value;
    }
}
