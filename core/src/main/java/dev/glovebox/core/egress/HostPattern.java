package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;

/// One name, or with `*.` before it every name below one, at any depth and without that name itself.
public record HostPattern(HostName name, boolean isWildcard) {

    /// Reads a pattern.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if the text is no name, or has a star anywhere but in `*.`
    ///     before one of two parts at least: `*.com` would be half of the internet
    public static HostPattern parse(String text) {
        boolean isWildcard = text.startsWith("*.");
        String rest = isWildcard ? text.substring(2) : text;
        if (rest.indexOf('*') >= 0) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "\"" + HostName.printable(text)
                            + "\": a star stands only before a whole name, as in *.example.com");
        }
        HostName name = HostName.ofRule(rest);
        if (isWildcard && name.value().indexOf('.') < 0) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "\"" + HostName.printable(text) + "\" is too wide: a star needs a name of two parts at least, as in"
                            + " *.example.com");
        }
        return new HostPattern(name, isWildcard);
    }

    public boolean matches(HostName asked) {
        return isWildcard ? asked.value().endsWith("." + name.value()) : asked.equals(name);
    }

    /// Whether every name that `other` matches is matched by this one too.
    public boolean covers(HostPattern other) {
        if (!isWildcard) {
            return equals(other);
        }
        return matches(other.name) || (other.isWildcard && other.name.equals(name));
    }

    @Override
    public String toString() {
        return isWildcard ? "*." + name : name.value();
    }
}
