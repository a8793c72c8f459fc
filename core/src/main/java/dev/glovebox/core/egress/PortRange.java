package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;

/// Ports from `first` to `last`, both included.
public record PortRange(int first, int last) {
    private static final int PORT_MAX = 65_535;

    public static final PortRange ALL = new PortRange(1, PORT_MAX);

    public PortRange {
        if (first < 1 || last > PORT_MAX || first > last) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    first == last
                            ? "the port " + first + " is outside 1.." + PORT_MAX
                            : "the ports " + first + " to " + last + " are not a range within 1.." + PORT_MAX);
        }
    }

    public static PortRange of(int port) {
        return new PortRange(port, port);
    }

    /// `443` or `8000-8100`.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT for anything else
    public static PortRange parse(String text) {
        if (!text.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "\"" + HostName.printable(text) + "\" is not a port or a range of ports, as in 443 or 8000-8100");
        }
        int dash = text.indexOf('-');
        return dash < 0
                ? of(Integer.parseInt(text))
                : new PortRange(Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
    }

    public boolean contains(int port) {
        return port >= first && port <= last;
    }

    public boolean isSingle() {
        return first == last;
    }

    @Override
    public String toString() {
        return isSingle() ? Integer.toString(first) : first + "-" + last;
    }
}
