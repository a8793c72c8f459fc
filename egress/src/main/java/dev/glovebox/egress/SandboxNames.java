package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.SpecialAddresses;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/// Which addresses a sandbox was given for which names. A connection is held to it: a name that it shows counts
/// only at an address that the name had here. Special addresses are left out of answers, so nothing leads
/// inside. Thread-safe.
final class SandboxNames {
    /// Tunnels get addresses out of 198.18.0.0/16, which nobody else uses and no rule opens.
    private static final int TUNNELS = 198 << 24 | 18 << 16;

    private static final long NANOS = 1_000_000_000L;

    private final NameResolver resolver;
    private final LongSupplier nanoTime;
    private final Map<HostName, Known> names = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<IpAddress, Set<HostName>> byAddress = new HashMap<>();
    private final Map<TunnelName, IpAddress> tunnels = new HashMap<>();

    SandboxNames(NameResolver resolver, LongSupplier nanoTime) {
        this.resolver = resolver;
        this.nanoTime = nanoTime;
    }

    /// What a look-up came to.
    ///
    /// @param addresses that the guest may know
    /// @param withheld how many others were special
    record LookedUp(List<IpAddress> addresses, int withheld, long ttlSeconds) {
        LookedUp {
            addresses = List.copyOf(addresses);
        }
    }

    /// @param until when the answer has to be asked for again
    private record Known(Set<IpAddress> given, LookedUp last, long until) {}

    /// The addresses of a name, which count as the sandbox's from here on.
    ///
    /// @throws IOException if nobody answers
    LookedUp lookUp(HostName name) throws IOException {
        synchronized (this) {
            Known known = names.get(name);
            if (known != null && known.until - nanoTime.getAsLong() > 0) {
                return known.last;
            }
        }
        NameResolver.Answer answer = resolver.resolve(name);
        List<IpAddress> fit = answer.addresses().stream()
                .filter(address -> SpecialAddresses.of(address).isEmpty())
                .distinct()
                .limit(Limits.EGRESS_ADDRESSES_PER_NAME_MAX)
                .toList();
        long ttl = Math.clamp(answer.ttlSeconds(), 1, Limits.EGRESS_DNS_TTL_MAX.toSeconds());
        LookedUp lookedUp = new LookedUp(fit, answer.addresses().size() - fit.size(), ttl);
        remember(name, lookedUp);
        return lookedUp;
    }

    /// The names for which the sandbox was given this address.
    synchronized Set<HostName> of(IpAddress address) {
        return Set.copyOf(byAddress.getOrDefault(address, Set.of()));
    }

    /// The address under which the sandbox sees a tunnel: always the same one.
    synchronized IpAddress tunnel(TunnelName tunnel) {
        IpAddress address = tunnels.computeIfAbsent(tunnel, _ -> IpAddress.v4(TUNNELS + tunnels.size() + 1));
        byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>()).add(tunnel.host());
        return address;
    }

    private synchronized void remember(HostName name, LookedUp lookedUp) {
        Known before = names.remove(name);
        LinkedHashSet<IpAddress> given = before == null ? new LinkedHashSet<>() : new LinkedHashSet<>(before.given);
        for (IpAddress address : lookedUp.addresses) {
            given.remove(address);
            given.add(address);
            byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>()).add(name);
        }
        while (given.size() > Limits.EGRESS_ADDRESSES_PER_NAME_MAX) {
            forget(name, given.removeFirst());
        }
        names.put(name, new Known(given, lookedUp, nanoTime.getAsLong() + lookedUp.ttlSeconds * NANOS));
        if (names.size() > Limits.EGRESS_NAMES_MAX) {
            Map.Entry<HostName, Known> eldest = names.entrySet().iterator().next();
            names.remove(eldest.getKey());
            new ArrayList<>(eldest.getValue().given).forEach(address -> forget(eldest.getKey(), address));
        }
    }

    private void forget(HostName name, IpAddress address) {
        Set<HostName> had = byAddress.get(address);
        if (had != null) {
            had.remove(name);
            if (had.isEmpty()) {
                byAddress.remove(address);
            }
        }
    }
}
