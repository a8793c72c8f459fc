package dev.glovebox.egress;

import dev.glovebox.core.egress.EgressRecorder;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.SecretSource;
import java.time.Clock;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/// What the network of sandboxes is made of.
///
/// @param trust decides which certificates of hosts are good where TLS ends at the proxy
/// @param own the addresses of this host at the moment; asked for every connection, so it answers at once
/// @param threads that move bytes
public record EgressOptions(
        NameResolver resolver,
        SSLContext trust,
        SecretSource secrets,
        EgressRecorder recorder,
        Supplier<Set<IpAddress>> own,
        Clock clock,
        int threads) {}
