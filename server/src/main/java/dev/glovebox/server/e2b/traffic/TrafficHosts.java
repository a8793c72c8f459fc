package dev.glovebox.server.e2b.traffic;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Under which names this server is reached. Immutable.
///
/// @param domains domains under which sandboxes' ports have names (`8000-i….glovebox.localhost`); lower case, no port
/// @param shared hosts that many sandboxes share, where headers say which is meant; beside these, `localhost`,
///     addresses and `sandbox.` before a domain always are
public record TrafficHosts(Set<String> domains, Set<String> shared) {
    /// No domains, and no shared hosts but those that always are.
    public static final TrafficHosts LOCAL = new TrafficHosts(Set.of(), Set.of());

    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+]");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

    public TrafficHosts {
        domains = Set.copyOf(domains);
        shared = Set.copyOf(shared);
    }

    /// From what an administrator wrote: names, each with a port or without.
    ///
    /// @throws IllegalArgumentException if one is no name of a host
    public static TrafficHosts of(List<String> domains, List<String> shared) {
        return new TrafficHosts(names(domains), names(shared));
    }

    private static Set<String> names(List<String> texts) {
        return texts.stream()
                .map(text -> {
                    String name = hostOf(text);
                    if (!NAME.matcher(name).matches() || name.contains("..")) {
                        throw new IllegalArgumentException("'" + text + "' is no name of a host");
                    }
                    return name;
                })
                .collect(Collectors.toUnmodifiableSet());
    }

    /// The host of `host:port`: in lower case, without the port and without the dot of a complete name.
    static String hostOf(String authority) {
        int colon = authority.lastIndexOf(':');
        boolean hasPort = colon > authority.lastIndexOf(']');
        String host = (hasPort ? authority.substring(0, colon) : authority).toLowerCase(Locale.ROOT);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    /// The configured domain that a host is below, and what stands before it.
    Optional<Below> below(String host) {
        return domains.stream()
                .filter(domain -> host.endsWith("." + domain))
                .max((a, b) -> Integer.compare(a.length(), b.length()))
                .map(domain -> new Below(host.substring(0, host.length() - domain.length() - 1), domain));
    }

    /// A host below a domain.
    record Below(String label, String domain) {}

    /// Whether many sandboxes share this host, so that headers may say which is meant.
    boolean isShared(String host) {
        return host.equals("localhost")
                || ADDRESS.matcher(host).matches()
                || shared.contains(host)
                || below(host).filter(below -> below.label().equals("sandbox")).isPresent();
    }

    /// The domain that clients should use for ports when they have reached the control plane as `api.` before a
    /// configured domain: that domain with the same port. Empty if they came another way.
    public Optional<String> domainFor(String authority) {
        return below(hostOf(authority))
                .filter(below -> below.label().equals("api"))
                .map(below -> below.domain() + port(authority));
    }

    private static String port(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(colon) : "";
    }
}
