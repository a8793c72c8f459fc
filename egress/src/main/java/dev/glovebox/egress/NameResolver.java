package dev.glovebox.egress;

import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import java.io.IOException;
import java.util.List;

/// Looks up names for sandboxes, outside of them. Thread-safe; blocks.
@FunctionalInterface
public interface NameResolver {
    /// The IPv4 addresses of a name.
    ///
    /// @throws IOException if nobody answers, or not in a way that can be understood
    Answer resolve(HostName name) throws IOException;

    /// What the servers said.
    ///
    /// @param addresses none if there is no such name, or if it has none
    /// @param ttlSeconds how long that holds
    record Answer(List<IpAddress> addresses, long ttlSeconds) {
        public Answer {
            addresses = List.copyOf(addresses);
        }
    }
}
