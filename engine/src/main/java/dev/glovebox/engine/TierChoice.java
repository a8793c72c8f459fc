package dev.glovebox.engine;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.Tier;
import dev.glovebox.core.policy.Decision;
import dev.glovebox.core.policy.Policy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which tier something runs in, and why in words. Pure, but for asking [Here] what is ready.
record TierChoice(Tier tier, String reason) {
    /// Cheapest first. `jail` and `browser` are missing on purpose: the first only by name, the second only by the
    /// user's own choice.
    private static final Map<Language, List<Tier>> CHEAPEST_FIRST = Map.of(
            Language.PYTHON, List.of(Tier.WASM, Tier.GVISOR, Tier.MICROVM),
            Language.JAVASCRIPT, List.of(Tier.ISOLATE, Tier.WASM, Tier.GVISOR, Tier.MICROVM),
            Language.TYPESCRIPT, List.of(Tier.ISOLATE, Tier.GVISOR, Tier.MICROVM),
            Language.WASM, List.of(Tier.WASM));

    /// Packages with native code, which the wasm tier cannot have. The code is a caller's: the pattern gives nothing
    /// back (possessive) and stays on its line, so that looking takes time in proportion to the code.
    private static final Pattern NATIVE_IMPORT = Pattern.compile(
            "^[ \\t]*+(?:import|from)[ \\t]++(numpy|pandas|scipy|matplotlib|sklearn|torch|tensorflow|PIL|cv2|lxml|psycopg2)\\b",
            Pattern.MULTILINE);

    private static final Set<Tier> NATIVE_TIERS = Set.of(Tier.JAIL, Tier.GVISOR, Tier.MICROVM);

    /// What it is chosen for.
    ///
    /// @param code program text, looked through for imports; empty if there is none yet
    /// @param network whether it is to reach anything
    record Need(Language language, String code, boolean network) {}

    /// What there is to choose from.
    ///
    /// @param tiers that work on this machine
    /// @param isReady whether a sandbox of one of them has something to start from; asked only where it matters
    record Here(Set<Tier> tiers, Predicate<Tier> isReady) {
        Optional<Tier> firstReady(List<Tier> of) {
            return of.stream().filter(isReady).findFirst();
        }
    }

    /// Chooses.
    ///
    /// @param asked the tier that the caller named; empty is `auto`, which passes over what is not ready
    /// @throws GloveboxException POLICY_DENIED, TIER_UNAVAILABLE or UNSUPPORTED
    static TierChoice choose(Optional<Tier> asked, Need need, Policy policy, Here here) {
        if (asked.isPresent()) {
            return named(asked.get(), need.language(), policy, here);
        }
        return need.network() ? withNetwork(need, policy, here) : cheapest(need.language(), need.code(), policy, here);
    }

    /// Chooses for a sandbox, of which only the language that it will mostly run is known.
    static TierChoice ofSandbox(SandboxSpec spec, Policy policy, Here here) {
        if (spec.template().isEmpty()) {
            Need need = new Need(spec.language(), "", !spec.network().reachesNothing());
            return choose(spec.tier(), need, policy, here);
        }
        return ofTemplate(spec.template().get(), spec.tier(), spec.language(), policy, here);
    }

    /// Chooses for a run, whose code is known.
    ///
    /// @param text of the program; empty if it is a module
    static TierChoice ofRun(RunSpec spec, String text, Policy policy, Here here) {
        Language language = spec.code().language();
        return spec.template()
                .map(template -> ofTemplate(template, spec.tier(), language, policy, here))
                .orElseGet(() -> choose(
                        spec.tier(), new Need(language, text, !spec.network().reachesNothing()), policy, here));
    }

    private static TierChoice ofTemplate(
            String template, Optional<Tier> asked, Language language, Policy policy, Here here) {
        Tier tier = asked.orElse(Tier.GVISOR);
        if (tier.defaultTemplate().isEmpty()) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "tier " + tier.word() + " has no templates, and so not " + template + "; these tiers have: "
                            + words(advised(NATIVE_TIERS)));
        }
        TierChoice choice = named(tier, language, policy, here);
        return asked.isPresent() ? choice : new TierChoice(tier, "template " + template + " is a Linux system");
    }

    private static TierChoice named(Tier tier, Language language, Policy policy, Here here) {
        if (policy.decideTier(tier) instanceof Decision.Deny deny) {
            throw new GloveboxException(ErrorCode.POLICY_DENIED, deny.reason() + " (rule " + deny.rule() + ")");
        }
        if (!here.tiers().contains(tier)) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "tier " + tier.word() + " does not work on this server, which has " + words(here.tiers())
                            + ": 'glovebox doctor' says why");
        }
        if (!runs(tier, language)) {
            List<Tier> others = able(language, policy, here);
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "tier " + tier.word() + " does not run " + language.word() + "; these do: "
                            + words(
                                    others.isEmpty()
                                            ? advised(CHEAPEST_FIRST.getOrDefault(language, List.of()))
                                            : others));
        }
        return new TierChoice(tier, "asked for by name");
    }

    private static List<Tier> able(Language language, Policy policy, Here here) {
        return CHEAPEST_FIRST.getOrDefault(language, List.of()).stream()
                .filter(here.tiers()::contains)
                .filter(tier -> policy.decideTier(tier) instanceof Decision.Allow)
                .toList();
    }

    private static TierChoice withNetwork(Need need, Policy policy, Here here) {
        Language language = need.language();
        // One where every program has it; the others have HTTP, by the means of their language.
        List<Tier> linux = linux(able(language, policy, here));
        Optional<Tier> ready = here.firstReady(linux);
        if (ready.isPresent()) {
            return new TierChoice(ready.get(), "the cheapest tier here with a network that runs " + language.word());
        }
        TierChoice other = cheapest(language, need.code(), policy, here);
        return linux.isEmpty()
                ? other
                : new TierChoice(
                        other.tier,
                        other.reason + "; every program has a network in the tier "
                                + linux.getFirst().word() + ", but " + lacks(linux.getFirst()));
    }

    private static TierChoice cheapest(Language language, String code, Policy policy, Here here) {
        List<Tier> able = able(language, policy, here);
        if (able.isEmpty()) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "no tier that works here and that this tenant's policy allows runs " + language.word());
        }
        Optional<String> nativeImport = nativeImport(language, code);
        List<Tier> linux = linux(able);
        if (nativeImport.isPresent() && !linux.isEmpty()) {
            String why = "the code imports " + nativeImport.get() + ", which is native";
            return new TierChoice(ready(linux, here, why), why);
        }
        String why = nativeImport
                .map(name -> "the code imports " + name
                        + ", which needs the tier gvisor, and that does not work here or is not allowed:"
                        + " 'glovebox doctor' says why")
                .orElse("the cheapest tier here that runs " + language.word());
        return new TierChoice(ready(able, here, "nothing else here runs " + language.word()), why);
    }

    private static Tier ready(List<Tier> of, Here here, String why) {
        return here.firstReady(of)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.TIER_UNAVAILABLE,
                        why + ": the tier " + of.getFirst().word() + " is needed, but " + lacks(of.getFirst())));
    }

    private static String lacks(Tier tier) {
        return tier.defaultTemplate()
                .map(template -> "its template " + template + " is not built on this machine:"
                        + " './glovebox template build base && ./glovebox template build " + template + "' does it")
                .orElse("it is not ready: 'glovebox doctor' says why");
    }

    private static List<Tier> linux(List<Tier> tiers) {
        return tiers.stream().filter(NATIVE_TIERS::contains).toList();
    }

    private static boolean runs(Tier tier, Language language) {
        return CHEAPEST_FIRST.getOrDefault(language, List.of()).contains(tier)
                || (tier == Tier.JAIL && language != Language.WASM);
    }

    private static Optional<String> nativeImport(Language language, String code) {
        if (language != Language.PYTHON) {
            return Optional.empty();
        }
        Matcher matcher = NATIVE_IMPORT.matcher(code);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    /// Without those that have no backend in this version: nobody is sent there.
    private static List<Tier> advised(Collection<Tier> tiers) {
        return tiers.stream().filter(tier -> tier != Tier.MICROVM).toList();
    }

    private static String words(Collection<Tier> tiers) {
        return String.join(", ", tiers.stream().map(Tier::word).sorted().toList());
    }
}
