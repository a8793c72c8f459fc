package dev.glovebox.wire.api;

import java.util.List;

/// Every tier that the server knows.
public record TierList(List<TierResponse> items) {}
