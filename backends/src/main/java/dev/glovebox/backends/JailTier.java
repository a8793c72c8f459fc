package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.nio.file.Path;
import java.util.Optional;

/// Namespaces, seccomp, Landlock and control groups around the agent; the host's kernel.
///
/// @param zygote the id of the one that gives the sandbox a warm kernel
record JailTier(Optional<String> zygote) implements LinuxTier {
    @Override
    public StartRequest request(String id, Path image, LinuxShape shape, boolean network) {
        StartRequest request = StartRequest.jail(id)
                .put("template", image.toString())
                .put("hostname", "sandbox")
                .put("memory", groupBytes(shape))
                .put("cpu", Limits.CPU_SHARE_MILLIS_DEFAULT)
                .put("pids", Limits.PIDS_DEFAULT)
                .put("network", network ? 1 : 0);
        zygote.ifPresent(one -> request.put("zygote", one));
        return shape.putDisk(request);
    }

    /// The agent stands outside its workload's group.
    @Override
    public long groupBytes(LinuxShape shape) {
        return shape.workloadBytes();
    }
}
