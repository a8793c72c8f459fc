package dev.glovebox.wire.api;

import java.util.List;

/// Tunnels of a tenant, by name.
public record TunnelList(List<TunnelResponse> items) {}
