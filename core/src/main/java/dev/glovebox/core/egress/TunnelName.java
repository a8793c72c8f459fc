package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.Optional;
import java.util.regex.Pattern;

/// Names a tunnel; a sandbox sees it as the host `NAME.tunnel`.
public record TunnelName(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final String SUFFIX = ".tunnel";

    public TunnelName {
        if (!SHAPE.matcher(value).matches()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a tunnel's name is 1 to 63 of a-z, 0-9 and '-', begins with a letter and does not end with '-'");
        }
    }

    /// The tunnel that a host name inside a sandbox means, if it means any.
    public static Optional<TunnelName> of(HostName host) {
        String name = host.value();
        if (!isTunnel(host)
                || !SHAPE.matcher(name.substring(0, name.length() - SUFFIX.length()))
                        .matches()) {
            return Optional.empty();
        }
        return Optional.of(new TunnelName(name.substring(0, name.length() - SUFFIX.length())));
    }

    /// Whether the name lies where tunnels are: such a name never goes out.
    public static boolean isTunnel(HostName host) {
        return host.value().endsWith(SUFFIX);
    }

    public HostName host() {
        return new HostName(value + SUFFIX);
    }

    @Override
    public String toString() {
        return value;
    }
}
