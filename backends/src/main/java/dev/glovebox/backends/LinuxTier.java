package dev.glovebox.backends;

import dev.glovebox.core.ResourceLimits;
import java.nio.file.Path;

/// How one tier of Linux sandboxes is asked of the supervisor. Thread-safe.
sealed interface LinuxTier permits JailTier, GvisorTier {
    /// The request for one sandbox, but for where its agent connects to.
    ///
    /// @param prepared whether it will hold an interpreter that was made ready, beside its workload
    /// @param network whether what it sends arrives anywhere
    StartRequest request(String id, Path image, ResourceLimits limits, boolean prepared, boolean network);

    /// What the sandbox as a whole may hold while its workload is bounded by this: the control group's bound.
    long groupBytes(ResourceLimits limits, boolean prepared);
}
