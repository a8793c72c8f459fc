package dev.glovebox.core;

/// Why a sandbox is dead. It is a metric label, so the set stays small and closed.
public enum StopReason {
    /// A caller killed it.
    KILLED,
    /// Its lease ran out.
    LEASE_EXPIRED,
    /// What it ran in went away.
    BACKEND_LOST,
    /// It never came up.
    START_FAILED,
    /// The server ended.
    SERVER_STOPPED,
    /// A one-shot run was over.
    COMPLETED
}
