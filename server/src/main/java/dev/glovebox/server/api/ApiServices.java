package dev.glovebox.server.api;

import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.engine.Gate;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the routes need.
///
/// @param tiers which tiers work here; may take seconds
/// @param metrics in Prometheus' text format
/// @param metricsOpen whether metrics are shown without a key
/// @param takesWork false once the server is stopping
public record ApiServices(
        Gate gate,
        Supplier<List<TierStatus>> tiers,
        Supplier<String> metrics,
        boolean metricsOpen,
        BooleanSupplier takesWork) {}
