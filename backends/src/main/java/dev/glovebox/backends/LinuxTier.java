package dev.glovebox.backends;

import java.nio.file.Path;

/// How one tier of Linux sandboxes is asked of the supervisor. Thread-safe.
sealed interface LinuxTier permits JailTier, GvisorTier {
    /// The request for one sandbox, but for where its agent connects to.
    ///
    /// @param network whether what it sends arrives anywhere
    StartRequest request(String id, Path image, LinuxShape shape, boolean network);

    /// What the sandbox as a whole may hold while its workload is bounded by this: the control group's bound.
    long groupBytes(LinuxShape shape);
}
