package dev.glovebox.wire.api;

/// What one process or execution used.
///
/// @param memoryPeakBytes 0 if the tier does not measure it
/// @param pooled whether an interpreter that was ready served it
public record UsageReport(long wallMicros, long cpuMicros, long memoryPeakBytes, long outputBytes, boolean pooled) {}
