package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.Command;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a request wants to go, by its host and two headers alone. Pure.
///
/// A name below a domain says it by itself, and then headers say nothing. Headers are heeded only where a host is
/// shared: otherwise whoever can make a browser or a client send headers to one sandbox's host would choose another
/// sandbox.
sealed interface Destination {
    /// It is for the server itself.
    record Server() implements Destination {}

    /// It is for a port of a sandbox, which may or may not exist.
    record Port(SandboxId sandbox, int port) implements Destination {}

    /// It wants to go to a sandbox and does not say where properly.
    ///
    /// @param status of HTTP
    /// @param sandbox what it called the sandbox; empty if nothing
    record Refused(int status, String sandbox, String message) implements Destination {}

    Pattern LABEL = Pattern.compile("([0-9]+)-([a-z0-9]+)(?:-[a-z0-9]+)?");

    /// Decides.
    ///
    /// @param authority `Host` or `:authority`
    /// @param ids all values of `E2b-Sandbox-Id`
    /// @param ports all values of `E2b-Sandbox-Port`
    static Destination of(TrafficHosts hosts, String authority, List<String> ids, List<String> ports) {
        String host = TrafficHosts.hostOf(authority);
        boolean hasHeader = !ids.isEmpty() || !ports.isEmpty();
        if (hosts.isShared(host)) {
            return hasHeader ? byHeaders(ids, ports) : new Server();
        }
        TrafficHosts.Below below = hosts.below(host).orElse(null);
        if (below != null && !below.label().equals("api")) {
            return byName(below.label());
        }
        return hasHeader
                ? new Refused(
                        400,
                        "",
                        "Invalid host: which sandbox is meant is read from headers only on shared hosts, and this is"
                                + " none: 'glovebox serve --shared-host NAME' makes it one")
                : new Server();
    }

    private static Destination byName(String label) {
        Matcher matcher = LABEL.matcher(label);
        return matcher.matches()
                ? port(matcher.group(2), matcher.group(1))
                : new Refused(400, "", "Invalid host: names of ports are {port}-{sandbox}");
    }

    private static Destination byHeaders(List<String> ids, List<String> ports) {
        if (ids.size() != 1 || ports.size() != 1) {
            return new Refused(
                    400, "", "The headers E2b-Sandbox-Id and E2b-Sandbox-Port are needed, both and each once");
        }
        String id = ids.getFirst();
        int dash = id.indexOf('-');
        return port(dash < 0 ? id : id.substring(0, dash), ports.getFirst());
    }

    private static Destination port(String id, String port) {
        OptionalInt number = number(port);
        if (!id.matches("[a-z0-9]{1,64}")) {
            return new Refused(400, "", "Invalid sandbox ID");
        }
        if (number.isEmpty()) {
            return new Refused(400, id, "Invalid sandbox port");
        }
        try {
            return new Port(new SandboxId(id), number.getAsInt());
        } catch (GloveboxException _) {
            // It is not the form of our ids, so there is none of that name: as with any other that is not there.
            return new Refused(502, id, NOT_FOUND);
        }
    }

    /// Said of sandboxes that are dead and of those that never were.
    String NOT_FOUND = "The sandbox was not found";

    private static OptionalInt number(String text) {
        if (!text.matches("[1-9][0-9]{0,4}") || Integer.parseInt(text) > Command.ConnectPort.PORT_MAX) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Integer.parseInt(text));
    }
}
