package dev.glovebox.backends;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.wire.agent.Fields;

/// Finds out whether a tier of Linux sandboxes works here, by starting one.
final class LinuxProbe {
    private LinuxProbe() {}

    private static String network(LinuxOptions options) {
        String without = options.supervision().get().withoutNetwork();
        return without.isEmpty() ? "what a policy opens can be reached" : "no policy can open its network: " + without;
    }

    private static String disks() {
        String missing = Disks.missing();
        return missing.isEmpty() ? "" : "; files are kept in memory: " + missing;
    }

    static TierStatus of(LinuxOptions options, LinuxHost host, Tier tier) {
        String missing = options.supervision().missing();
        if (!missing.isEmpty()) {
            return new TierStatus(tier, false, missing, "do that and ask again");
        }
        if (tier == Tier.GVISOR && options.runsc().isEmpty()) {
            return new TierStatus(
                    tier,
                    false,
                    "there is no runsc on this machine",
                    "install it where PATH finds it (Debian: the package runsc), or set GLOVEBOX_RUNSC");
        }
        String template = tier.defaultTemplate().orElseThrow();
        if (options.images().apply(template).isEmpty()) {
            return new TierStatus(
                    tier,
                    false,
                    "template " + template
                            + ", from which sandboxes start that name no other, is not built on this machine",
                    "'./glovebox template build base && ./glovebox template build " + template + "'");
        }
        LinuxStart wanted = LinuxStart.ready(tier, template);
        try (AgentSandbox sandbox =
                host.take(wanted, TenantId.DEFAULT, Fields.builder().build())) {
            sandbox.awaitReady();
            return new TierStatus(
                    tier, true, "a sandbox started and its agent answered; " + network(options) + disks(), "");
        } catch (GloveboxException failure) {
            return new TierStatus(tier, false, String.valueOf(failure.getMessage()), "put that right and ask again");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new TierStatus(tier, false, "interrupted", "ask again");
        }
    }
}
