package dev.glovebox.core.backend;

/// What a tier may be able to do. A tier that lacks one refuses in words; the conformance suite asserts the refusal.
/// By default a tier is expected to have all.
public enum Capability {
    PYTHON,
    JAVASCRIPT,
    TYPESCRIPT,
    WASM_MODULES,
    /// Code interpreter contexts.
    CONTEXTS,
    FILES,
    STDIN,
    /// Any program, a shell among them.
    SHELL,
    /// Native Python wheels: numpy, pandas.
    NATIVE_PACKAGES,
    /// Terminals.
    PTY,
    /// Users inside, owners and extended attributes of files.
    USERS,
    /// Watching directories.
    WATCH,
    /// Reaching a port inside.
    PORTS,
    PAUSE,
    NETWORK
}
