package dev.glovebox.server.e2b.control;

import dev.glovebox.server.e2b.control.Creation.Generation;
import dev.glovebox.wire.e2b.NetworkUpdate;
import dev.glovebox.wire.e2b.NewSandbox;
import dev.glovebox.wire.e2b.SandboxNetwork;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a client wants of the network, if this server can be true to it: the network of its sandboxes is closed, so
/// every wish to close something is granted, and every wish to open something is refused.
///
/// @param publicTraffic whether ports answer without the traffic token
/// @param maskedHost the `Host` that servers inside see
record NetworkWish(boolean publicTraffic, Optional<String> maskedHost) {
    /// Everything.
    static final String ALL_TRAFFIC = "0.0.0.0/0";

    private static final Pattern MASK = Pattern.compile("[A-Za-z0-9._:\\[\\]${}-]{1,255}");

    static NetworkWish of(NewSandbox asked, Generation generation, boolean secured) {
        // Clients of the first generation send true when their callers say nothing.
        checkInternet(generation == Generation.SECOND ? asked.allowInternetAccess() : null);
        SandboxNetwork network = asked.network();
        if (network == null) {
            return new NetworkWish(true, Optional.empty());
        }
        checkOut(orEmpty(network.allowOut()), orEmpty(network.denyOut()));
        refuse(network.egressProxy(), "'network.egressProxy'");
        refuse(network.rules(), "'network.rules'");
        refuse(network.httpsPorts(), "'network.httpsPorts': servers inside speak plain HTTP;");
        boolean publicTraffic = !Boolean.FALSE.equals(network.allowPublicTraffic());
        if (!publicTraffic && !secured) {
            throw ControlError.invalid("'allowPublicTraffic: false' needs a secured sandbox");
        }
        return new NetworkWish(
                publicTraffic, Optional.ofNullable(network.maskRequestHost()).map(NetworkWish::mask));
    }

    /// Checks rules that are to hold from now on: they change nothing, because nothing goes out anyway.
    static void check(NetworkUpdate update) {
        checkInternet(update.allowInternetAccess());
        checkOut(orEmpty(update.allowOut()), orEmpty(update.denyOut()));
        refuse(update.egressProxy(), "'egressProxy'");
        refuse(update.rules(), "'rules'");
    }

    private static void checkInternet(@Nullable Boolean isAllowed) {
        if (Boolean.TRUE.equals(isAllowed)) {
            throw ControlError.invalid(
                    "'allow_internet_access': the network of sandboxes is closed on this server; leave it out");
        }
    }

    private static void checkOut(List<String> allowed, List<String> denied) {
        for (String range : denied) {
            if (!isRange(range)) {
                throw ControlError.invalid(
                        "'network.denyOut' holds addresses and ranges such as 10.0.0.0/8, not names: '"
                                + range.replaceAll("[^A-Za-z0-9.:/*-]", "?") + "'");
            }
        }
        if (allowed.stream().anyMatch(out -> !isRange(out)) && !denied.contains(ALL_TRAFFIC)) {
            throw ControlError.invalid(
                    "When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny out to block"
                            + " all other traffic.");
        }
        if (!allowed.isEmpty()) {
            throw ControlError.invalid(
                    "'network.allowOut': the network of sandboxes is closed on this server; leave it out");
        }
    }

    private static List<String> orEmpty(@Nullable List<String> list) {
        return list == null ? List.of() : list;
    }

    private static void refuse(@Nullable Object value, String what) {
        boolean isEmpty = value == null
                || (value instanceof Collection<?> list && list.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty());
        if (!isEmpty) {
            throw ControlError.unsupported(what + " is not there on this server");
        }
    }

    private static String mask(String host) {
        if (!MASK.matcher(host).matches()) {
            throw ControlError.invalid("'network.maskRequestHost' is a host with a port or without");
        }
        return host;
    }

    /// Whether it is an address or a range of addresses.
    static boolean isRange(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            if (slash < 0) {
                return true;
            }
            String bits = text.substring(slash + 1);
            return bits.matches("[0-9]{1,3}") && Integer.parseInt(bits) <= 8 * address.getAddress().length;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
