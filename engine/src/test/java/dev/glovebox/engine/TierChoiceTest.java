package dev.glovebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TierChoiceTest {
    private static final Set<Tier> CELLS = EnumSet.of(Tier.WASM, Tier.ISOLATE);
    private static final Set<Tier> ALL = EnumSet.allOf(Tier.class);
    private static final Policy ANY = policy(ALL);

    private static Policy policy(Set<Tier> tiers) {
        return new Policy(tiers, ResourceLimits.DEFAULT, Duration.ofMinutes(5), 1, false);
    }

    private static TierChoice.Need need(Language language, String code) {
        return new TierChoice.Need(language, code, false);
    }

    private static TierChoice auto(Language language, String code, Policy policy, Set<Tier> available) {
        return choose(Optional.empty(), need(language, code), policy, available);
    }

    private static TierChoice choose(Optional<Tier> asked, TierChoice.Need need, Policy policy, Set<Tier> available) {
        return TierChoice.choose(asked, need, policy, new TierChoice.Here(available, _ -> true));
    }

    private static TierChoice ofRun(RunSpec spec, String text, Policy policy, Set<Tier> available) {
        return TierChoice.ofRun(spec, text, policy, new TierChoice.Here(available, _ -> true));
    }

    private static void refused(ErrorCode code, Runnable choosing, String... words) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, choosing::run);
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    @ParameterizedTest
    @CsvSource({"PYTHON, WASM", "JAVASCRIPT, ISOLATE", "TYPESCRIPT, ISOLATE", "WASM, WASM"})
    void takesTheCheapestThatRunsTheLanguage(Language language, Tier expected) {
        TierChoice choice = auto(language, "", ANY, ALL);
        assertThat(choice.tier()).isEqualTo(expected);
        assertThat(choice.reason()).isEqualTo("the cheapest tier here that runs " + language.word());
    }

    private static RunSpec run(Optional<Tier> tier, String template) {
        return new RunSpec(
                tier,
                new Execution.Code(Language.PYTHON, new byte[0], "main.py"),
                List.of(),
                Map.of(),
                new byte[0],
                Map.of(),
                List.of(),
                false,
                ResourceLimits.DEFAULT,
                NetworkPolicy.CLOSED,
                Optional.of(template));
    }

    @Test
    void aRunFromATemplateNeedsALinuxSystem() {
        TierChoice choice = ofRun(run(Optional.empty(), "geo"), "", ANY, ALL);
        assertThat(choice).isEqualTo(new TierChoice(Tier.GVISOR, "template geo is a Linux system"));
        assertThat(ofRun(run(Optional.of(Tier.JAIL), "geo"), "", ANY, ALL).tier())
                .isEqualTo(Tier.JAIL);
        refused(ErrorCode.UNSUPPORTED, () -> ofRun(run(Optional.of(Tier.WASM), "geo"), "", ANY, ALL), "wasm", "geo");
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void neverTakesJailOrBrowserByItself(Language language) {
        Set<Tier> only = EnumSet.of(Tier.JAIL, Tier.BROWSER);
        refused(
                ErrorCode.TIER_UNAVAILABLE,
                () -> auto(language, "", policy(only), only),
                "no tier that works here and that this tenant's policy allows runs " + language.word());
    }

    @Test
    void takesTheNextWhenPolicyOrHostDoNotHaveTheCheapest() {
        assertThat(auto(Language.JAVASCRIPT, "", policy(EnumSet.of(Tier.WASM)), ALL)
                        .tier())
                .isEqualTo(Tier.WASM);
        assertThat(auto(Language.PYTHON, "", ANY, EnumSet.of(Tier.MICROVM)).tier())
                .isEqualTo(Tier.MICROVM);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "import numpy",
                "import os\nimport numpy as np",
                "  from numpy import array",
                "from numpy.linalg import inv",
                "def f():\n\timport numpy",
                "import\tnumpy",
            })
    void takesAStrongerTierForNativePackages(String code) {
        TierChoice choice = auto(Language.PYTHON, code, ANY, ALL);
        assertThat(choice.tier()).isEqualTo(Tier.GVISOR);
        assertThat(choice.reason()).isEqualTo("the code imports numpy, which is native");
        TierChoice none = auto(Language.PYTHON, code, ANY, CELLS);
        assertThat(none.tier()).isEqualTo(Tier.WASM);
        assertThat(none.reason())
                .contains("numpy", "needs the tier gvisor", "glovebox doctor")
                .doesNotContain("microvm");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "import numpydoc",
                "# import numpy",
                "print('import numpy')",
                "import_numpy = 1",
                "x = 1 # from numpy import x"
            })
    void isNotMisledByWhatOnlyLooksLikeAnImport(String code) {
        assertThat(auto(Language.PYTHON, code, ANY, ALL).tier()).isEqualTo(Tier.WASM);
    }

    @Test
    void importsCountInPythonOnly() {
        assertThat(auto(Language.JAVASCRIPT, "import numpy", ANY, ALL).tier()).isEqualTo(Tier.ISOLATE);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\n", "import ", "import\n", "from\t", "\n import"})
    void lookingThroughALongProgramTakesNoLongTime(String part) {
        String code = part.repeat(Limits.CODE_BYTES_MAX / part.length());
        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> assertThat(auto(Language.PYTHON, code, ANY, ALL).tier()).isEqualTo(Tier.WASM));
    }

    @Test
    void whoWantsANetworkAndNativeCodeIsToldWhatIsMissing() {
        TierChoice choice =
                choose(Optional.empty(), new TierChoice.Need(Language.PYTHON, "import numpy", true), ANY, CELLS);
        assertThat(choice.tier()).isEqualTo(Tier.WASM);
        assertThat(choice.reason()).contains("imports numpy", "needs the tier gvisor");
    }

    @Test
    void aNamedTierIsTakenOrRefusedInWords() {
        TierChoice choice = choose(Optional.of(Tier.JAIL), need(Language.PYTHON, ""), ANY, ALL);
        assertThat(choice).isEqualTo(new TierChoice(Tier.JAIL, "asked for by name"));
        refused(
                ErrorCode.POLICY_DENIED,
                () -> choose(Optional.of(Tier.JAIL), need(Language.PYTHON, ""), policy(CELLS), ALL),
                "allows the tiers isolate, wasm, not jail: whoever runs the server opens it with 'serve --allow-jail'",
                "(rule tier.jail)");
        refused(
                ErrorCode.TIER_UNAVAILABLE,
                () -> choose(Optional.of(Tier.MICROVM), need(Language.PYTHON, ""), ANY, CELLS),
                "tier microvm does not work on this server, which has isolate, wasm",
                "glovebox doctor");
        refused(
                ErrorCode.UNSUPPORTED,
                () -> choose(Optional.of(Tier.ISOLATE), need(Language.PYTHON, ""), ANY, ALL),
                "tier isolate does not run python; these do: gvisor, microvm, wasm");
        refused(
                ErrorCode.UNSUPPORTED,
                () -> choose(Optional.of(Tier.ISOLATE), need(Language.PYTHON, ""), ANY, CELLS),
                "tier isolate does not run python; these do: wasm");
        refused(
                ErrorCode.UNSUPPORTED,
                () -> choose(Optional.of(Tier.JAIL), need(Language.WASM, ""), ANY, ALL),
                "tier jail does not run wasm");
    }

    @Test
    void whatIsToReachSomethingGetsATierWithANetwork() {
        TierChoice.Need need = new TierChoice.Need(Language.PYTHON, "", true);
        TierChoice choice = choose(Optional.empty(), need, ANY, ALL);
        assertThat(choice.tier()).isEqualTo(Tier.GVISOR);
        assertThat(choice.reason()).contains("with a network");
        // The others have HTTP, which is better than nothing.
        assertThat(choose(Optional.empty(), need, ANY, CELLS).tier()).isEqualTo(Tier.WASM);
        assertThat(choose(Optional.of(Tier.WASM), need, ANY, ALL).tier()).isEqualTo(Tier.WASM);
    }

    /// As on a machine where no template has been built yet.
    private static TierChoice withoutTemplates(String code, boolean network, Policy policy) {
        return TierChoice.choose(
                Optional.empty(),
                new TierChoice.Need(Language.PYTHON, code, network),
                policy,
                new TierChoice.Here(ALL, CELLS::contains));
    }

    @Test
    void tiersWithoutATemplateArePassedOver() {
        TierChoice choice = withoutTemplates("", true, ANY);
        assertThat(choice.tier()).isEqualTo(Tier.WASM);
        assertThat(choice.reason())
                .contains("the cheapest tier here", "gvisor", "template code is not built", "template build code'");
        assertThat(withoutTemplates("", false, ANY).reason()).isEqualTo("the cheapest tier here that runs python");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereNoneIsReadyTheRemedyIsSaid(boolean network) {
        String remedy = "template code is not built on this machine:"
                + " './glovebox template build base && ./glovebox template build code' does it";
        refused(
                ErrorCode.TIER_UNAVAILABLE,
                () -> withoutTemplates("", network, policy(EnumSet.of(Tier.GVISOR))),
                "nothing else here runs python: the tier gvisor is needed",
                remedy);
        refused(
                ErrorCode.TIER_UNAVAILABLE,
                () -> withoutTemplates("import numpy", network, ANY),
                "the code imports numpy",
                remedy);
    }

    @Test
    void readinessIsNotAskedWhereItDoesNotMatter() {
        TierChoice.Here here = new TierChoice.Here(ALL, tier -> {
            assertThat(tier).isEqualTo(Tier.WASM);
            return true;
        });
        TierChoice choice = TierChoice.choose(Optional.empty(), need(Language.PYTHON, ""), ANY, here);
        assertThat(choice.tier()).isEqualTo(Tier.WASM);
    }
}
