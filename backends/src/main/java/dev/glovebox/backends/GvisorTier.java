package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.nio.file.Path;
import java.util.List;

/// gVisor's user-space kernel around the agent: `runsc run` in namespaces of its own, so that its end is the end of
/// everything in it and no `runsc delete` is ever needed.
final class GvisorTier implements LinuxTier {
    private final Path runsc;
    private final String platform;
    private final Path scratch;
    private final Path agent;

    /// @param platform how it intercepts system calls: `systrap` or `ptrace`
    /// @param scratch the directory that the supervisor prepares for the command, as the command sees it
    GvisorTier(Path runsc, String platform, Path scratch, Path agent) {
        this.runsc = runsc;
        this.platform = platform;
        this.scratch = scratch;
        this.agent = agent;
    }

    @Override
    public StartRequest request(String id, Path image, LinuxShape shape, boolean network) {
        StartRequest request = StartRequest.command(id)
                .put("template", image.toString())
                .put("memory", groupBytes(shape))
                .put("meminfo", shape.limits().memoryBytes())
                .put("pids", Limits.PIDS_OF_GVISOR)
                .put("network", network ? 1 : 0)
                .put("config", OciConfig.of(agent, shape.workloadBytes(), network))
                .arguments(List.of(
                        runsc.toString(),
                        "--root=" + scratch.resolve("state"),
                        "--platform=" + platform,
                        // Its own stack on the interface that the supervisor made for it, or none.
                        network ? "--network=sandbox" : "--network=none",
                        "--ignore-cgroups",
                        "--allow-suid",
                        "--host-settings=ignore",
                        // The supervisor has put a layer of exact size over the template already: a second one in
                        // gVisor's memory has no bound on files, and takes 30 ms of the start.
                        "--overlay2=none",
                        "run",
                        // The lanes, where the supervisor puts them.
                        "--pass-fd=3:3",
                        "--bundle=" + scratch,
                        id));
        return shape.putDisk(request);
    }

    /// The kernel in user space counts too, and so does a writable layer that is memory.
    @Override
    public long groupBytes(LinuxShape shape) {
        return shape.workloadBytes() + shape.layerBytes() + Limits.GVISOR_OVERHEAD_BYTES;
    }
}
