package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import java.nio.file.Path;
import java.util.Optional;

/// What a Linux sandbox is given of the host.
///
/// @param prepared whether it will hold an interpreter that was made ready, beside its workload
/// @param disk an empty file system, of which its writable layer is a copy; empty: the layer is memory
record LinuxShape(ResourceLimits limits, boolean prepared, Optional<Path> disk) {

    /// What its workload may hold.
    long workloadBytes() {
        return limits.memoryBytes() + (prepared ? Limits.PREPARED_BYTES : 0);
    }

    /// What its files may take of the host's memory.
    long layerBytes() {
        return disk.isPresent() ? 0 : limits.diskBytes();
    }

    /// The fields of a request that bound its files.
    StartRequest putDisk(StartRequest request) {
        disk.ifPresent(image -> request.put("image", image.toString()));
        return request.put("disk", limits.diskBytes())
                .put("inodes", limits.fileCount())
                .put("io", Limits.DISK_BYTES_PER_SECOND)
                .put("operations", Limits.DISK_OPERATIONS_PER_SECOND);
    }
}
