package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.backend.TierStatus;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The tiers `jail` and `gvisor`: sandboxes that are Linux systems, started from templates. Nothing is started before
/// the first of them is asked for. Thread-safe.
public final class LinuxBackend implements SandboxBackend {
    private static final Set<Capability> LACKING = EnumSet.of(Capability.WASM_MODULES, Capability.PAUSE);

    private final LinuxOptions options;
    private final LinuxHost host;
    private final SecureRandom random = new SecureRandom();

    private LinuxBackend(LinuxOptions options) {
        this.options = options;
        this.host = new LinuxHost(options);
    }

    /// Opens the backend; it never throws for what is missing: [#tiers] and [#probe] tell. Begins to make ready what is
    /// to be kept ready.
    public static LinuxBackend open(LinuxOptions options) {
        LinuxBackend backend = new LinuxBackend(options);
        backend.host.fill(backend.tiers());
        return backend;
    }

    @Override
    public Set<Tier> tiers() {
        if (!options.supervision().missing().isEmpty()) {
            return Set.of();
        }
        return options.runsc().isPresent() ? Set.of(Tier.JAIL, Tier.GVISOR) : Set.of(Tier.JAIL);
    }

    @Override
    public Set<Capability> capabilities(Tier tier) {
        EnumSet<Capability> all = EnumSet.complementOf(EnumSet.copyOf(LACKING));
        if (options.ports().isEmpty()) {
            all.remove(Capability.NETWORK);
        }
        return Set.copyOf(all);
    }

    @Override
    public boolean isReady(Tier tier) {
        return tier.defaultTemplate()
                .map(template -> options.images().apply(template).isPresent())
                .orElse(true);
    }

    @Override
    public List<TierStatus> probe() {
        List<TierStatus> statuses = new ArrayList<>();
        statuses.add(LinuxProbe.of(options, host, Tier.JAIL));
        statuses.add(LinuxProbe.of(options, host, Tier.GVISOR));
        return statuses;
    }

    @Override
    public SandboxHandle create(Requirements requirements) {
        try {
            return start(requirements);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
        }
    }

    private SandboxHandle start(Requirements requirements) throws InterruptedException {
        Tier tier = requirements.tier();
        String template = requirements.template().or(tier::defaultTemplate).orElseThrow();
        AgentSandbox sandbox = host.take(
                new LinuxStart(tier, template, requirements.limits(), false),
                requirements.tenant(),
                Requests.configureLinux(requirements, options.variables().apply(template), random));
        try {
            return sandbox.openNetwork(requirements.sandbox(), requirements.network());
        } catch (RuntimeException failure) {
            sandbox.close();
            throw failure;
        }
    }

    @Override
    public void close() {
        host.close();
    }

    /// Bounds that the two tiers add to those of the sandbox.
    static Duration startMax(Tier tier) {
        return tier == Tier.GVISOR ? Limits.GVISOR_START_MAX : Limits.JAIL_START_MAX;
    }

    /// The image of a template, or a refusal that names the way to have one.
    static Path image(LinuxOptions options, String template) {
        return options.images()
                .apply(template)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.TIER_UNAVAILABLE,
                        "template " + template + " is not built on this machine: './glovebox template build " + template
                                + "' does it"));
    }

    /// The limits of sandboxes that are kept ready.
    static ResourceLimits readyLimits() {
        return ResourceLimits.DEFAULT;
    }
}
