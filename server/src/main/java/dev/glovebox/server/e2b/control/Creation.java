package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.Tier;
import dev.glovebox.core.policy.Decision;
import dev.glovebox.core.policy.Policy;
import dev.glovebox.server.e2b.SandboxFacts;
import dev.glovebox.wire.e2b.NewSandbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// From what a client wrote to what the gate is asked for. Pure. What cannot be had is refused here, in words; nothing
/// is passed over.
final class Creation {
    /// The metadata name by which a caller may choose the tier.
    private static final String TIER = "glovebox.tier";

    private final Set<Tier> tiers;
    private final Supplier<List<BuiltTemplate>> templates;
    private final Policy policy;

    /// @param tiers those that work here
    /// @param templates the Linux templates that are built here
    /// @param policy that of the caller's tenant
    Creation(Set<Tier> tiers, Supplier<List<BuiltTemplate>> templates, Policy policy) {
        this.tiers = Set.copyOf(tiers);
        this.templates = templates;
        this.policy = policy;
    }

    /// The two generations of the interface.
    enum Generation {
        FIRST(Duration.ofSeconds(15)),
        SECOND(Duration.ofMinutes(5));

        private final Duration timeout;

        Generation(Duration timeout) {
            this.timeout = timeout;
        }

        /// How long a sandbox lives if nothing is said.
        Duration timeout() {
            return timeout;
        }
    }

    private static final ResourceLimits LINUX = new ResourceLimits(
            Limits.WALL_TIME_MAX,
            Limits.CPU_TIME_MAX,
            Limits.E2B_MEMORY_BYTES,
            Limits.OUTPUT_BYTES_MAX,
            Limits.E2B_DISK_BYTES,
            Limits.FILE_COUNT_MAX);

    /// What to ask the gate for.
    SandboxSpec plan(NewSandbox asked, Generation generation) {
        refuseWhatIsNotThere(asked);
        boolean secured = secured(asked, generation);
        NetworkWish network = NetworkWish.of(asked, generation, secured);
        Map<String, String> metadata = Objects.requireNonNullElse(asked.metadata(), Map.of());
        TemplateName template = TemplateName.of(asked.templateID());
        if (!template.isOfAllTiers()
                && templates.get().stream().noneMatch(built -> built.name().equals(template.name()))) {
            throw TemplateName.notFound(template.name());
        }
        Tier tier = tier(template, Optional.ofNullable(metadata.get(TIER)));
        SandboxFacts facts =
                new SandboxFacts(Optional.of(template.text()), secured, network.publicTraffic(), network.maskedHost());
        Duration lease = Optional.ofNullable(asked.timeout())
                .map(seconds -> Timeouts.lease(seconds, policy))
                .orElse(generation.timeout());
        return new SandboxSpec(
                Optional.of(tier),
                TemplateName.language(tier),
                TemplateName.LINUX.contains(tier) ? Optional.of(template.linux()) : Optional.empty(),
                lease,
                limits(tier),
                Objects.requireNonNullElse(asked.envVars(), Map.of()),
                network.policy(),
                facts.into(metadata));
    }

    private static boolean secured(NewSandbox asked, Generation generation) {
        boolean secured = asked.secure() == null || asked.secure();
        if (!secured && generation == Generation.SECOND) {
            throw ControlError.invalid("'secure' is of the first generation: here every sandbox is secured");
        }
        return secured;
    }

    private static void refuseWhatIsNotThere(NewSandbox asked) {
        refuse(Boolean.TRUE.equals(asked.autoPause()), "'autoPause': this server cannot pause sandboxes yet");
        refuse(
                asked.autoResume() != null && asked.autoResume().enabled(),
                "'autoResume': this server cannot pause sandboxes yet");
        if (asked.autoPauseMemory() != null) {
            throw ControlError.invalid("'autoPauseMemory' needs 'autoPause'");
        }
        refuse(asked.mcp() != null, "'mcp': this server has no MCP gateway inside sandboxes");
        refuse(asked.iam() != null, "'iam': this server gives sandboxes no identity tokens");
        refuse(
                asked.volumeMounts() != null && !asked.volumeMounts().isEmpty(),
                "'volumeMounts': this server has no volumes");
    }

    private static void refuse(boolean isAsked, String words) {
        if (isAsked) {
            throw ControlError.unsupported(words);
        }
    }

    private Tier tier(TemplateName template, Optional<String> word) {
        Optional<Tier> named = word.map(TemplateName::tier);
        if (named.isPresent() && template.tier().isPresent() && !named.equals(template.tier())) {
            throw ControlError.invalid("the template's tag and the metadata '" + TIER + "' name different tiers");
        }
        Tier tier = template.tier().or(() -> named).orElseGet(this::strongestLinux);
        if (!TemplateName.LINUX.contains(tier) && !template.isOfAllTiers()) {
            throw ControlError.invalid(
                    "template '" + template.name() + "' is a Linux system, which the tier " + tier.word() + " has not");
        }
        return tier;
    }

    private Tier strongestLinux() {
        return TemplateName.LINUX.stream()
                .filter(tiers::contains)
                .filter(tier -> policy.decideTier(tier) instanceof Decision.Allow)
                .findFirst()
                .orElseThrow(() -> new ControlError(
                        501,
                        "no Linux tier works here that this tenant's policy allows: 'glovebox doctor' says why, and"
                                + " 'glovebox serve --allow-jail' allows the tier jail; the templates 'base:wasm' and"
                                + " 'base:isolate' need neither"));
    }

    /// A process may run as long as its sandbox, and write without end. E2B's clients cannot ask for memory or disk:
    /// a Linux system has what its package managers need.
    static ResourceLimits limits(Tier tier) {
        ResourceLimits ready = TemplateName.LINUX.contains(tier) ? LINUX : ResourceLimits.DEFAULT;
        return new ResourceLimits(
                Limits.WALL_TIME_MAX,
                Limits.CPU_TIME_MAX,
                ready.memoryBytes(),
                Limits.OUTPUT_BYTES_MAX,
                ready.diskBytes(),
                ready.fileCount());
    }
}
