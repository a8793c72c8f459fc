package dev.glovebox.core;

import java.time.Duration;

/// What one process or execution used.
///
/// @param memoryPeakBytes the most memory that the guest held; 0 if the tier does not measure it
public record Usage(Duration wallTime, Duration cpuTime, long memoryPeakBytes, long outputBytes) {
    public static final Usage NONE = new Usage(Duration.ZERO, Duration.ZERO, 0, 0);
}
