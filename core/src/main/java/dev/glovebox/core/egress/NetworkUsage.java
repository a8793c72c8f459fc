package dev.glovebox.core.egress;

/// What a sandbox's network did so far.
///
/// @param open connections at this moment
/// @param allowed connections since it began
/// @param denied connections since it began
/// @param sent bytes from the sandbox
public record NetworkUsage(int open, long allowed, long denied, long sent, long received) {
    /// Of a sandbox that did nothing yet.
    public static final NetworkUsage NONE = new NetworkUsage(0, 0, 0, 0, 0);
}
