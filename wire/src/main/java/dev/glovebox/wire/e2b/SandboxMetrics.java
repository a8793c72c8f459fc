package dev.glovebox.wire.e2b;

import java.util.Map;

/// The latest measurement of several sandboxes by their ids.
public record SandboxMetrics(Map<String, SandboxMetric> sandboxes) {}
