package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How gVisor intercepts system calls on this machine: found out by starting a sandbox with each way, never assumed,
/// for some hang. The first that answers is kept. Thread-safe.
final class GvisorPlatform {
    /// The fastest first. `kvm` is not tried: on a paravirtual KVM it hangs in the kernel.
    private static final List<String> PLATFORMS = List.of("systrap", "ptrace");

    private final LinuxHost host;
    private @Nullable GvisorTier chosen;

    GvisorPlatform(LinuxHost host) {
        this.host = host;
    }

    /// Starts a sandbox, with the platform that worked before; the first one finds out which does.
    ///
    /// @throws GloveboxException TIER_UNAVAILABLE if none does
    LinuxHost.Started start(LinuxStart wanted) throws InterruptedException {
        GvisorTier tier;
        synchronized (this) {
            if (chosen == null) {
                return find(wanted);
            }
            tier = chosen;
        }
        return host.start(tier, wanted);
    }

    /// Whoever comes meanwhile waits: all would find the same.
    private LinuxHost.Started find(LinuxStart wanted) throws InterruptedException {
        StringBuilder reasons = new StringBuilder();
        for (String name : PLATFORMS) {
            GvisorTier tier = host.gvisor(name);
            try {
                LinuxHost.Started first = host.start(tier, wanted);
                AgentSandbox answered = first.configured(Fields.builder().build());
                chosen = tier;
                return new LinuxHost.Started(answered, () -> {});
            } catch (GloveboxException failure) {
                if (failure.code() == ErrorCode.TIER_UNAVAILABLE) {
                    throw failure;
                }
                reasons.append(reasons.isEmpty() ? "" : "; ")
                        .append(name)
                        .append(": ")
                        .append(failure.getMessage());
            }
        }
        throw new GloveboxException(ErrorCode.TIER_UNAVAILABLE, "runsc starts no sandbox here: " + reasons);
    }
}
