package dev.glovebox.wire.api;

/// A sandbox's network now.
///
/// @param policy what it may reach; secrets and passwords are not in it
public record NetworkResponse(NetworkRules policy, NetworkUsageReport usage) {}
