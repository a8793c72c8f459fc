package dev.glovebox.wire.api;

/// A tunnel. Sandboxes whose policy names it reach it as `name.tunnel:port`.
///
/// @param bytes of one connection; 0 is no bound of its own
public record TunnelResponse(
        String name,
        String tenant,
        String host,
        int port,
        boolean tls,
        int connections,
        long bytes,
        long idleSeconds) {}
