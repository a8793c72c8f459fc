package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// A tunnel to define.
///
/// @param tenant whose sandboxes may name it; left out: the administrator's own
/// @param host a name or an address, as the server reaches it
/// @param tls whether the server speaks TLS with the service; left out: no
/// @param connections at once, from one sandbox
/// @param bytes of one connection, both directions together; left out or 0: no bound of its own
/// @param idleSeconds without a byte in either direction
public record TunnelRequest(
        @Nullable String tenant,
        String host,
        int port,
        @Nullable Boolean tls,
        @Nullable Integer connections,
        @Nullable Long bytes,
        @Nullable Long idleSeconds) {}
