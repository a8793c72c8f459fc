package dev.glovebox.cell.fs;

/// New times for a file, in nanoseconds since 1970, as POSIX' `utimensat` takes them.
public record Times(long accessedNanos, long modifiedNanos) {
    /// Leaves a time as it is.
    public static final long KEEP = -1;
    /// Sets a time to the moment of the call.
    public static final long NOW = -2;
}
