package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    private static final String ID = "iabcdefghij0123456789";

    @Test
    void sandboxIdsAreOneDnsLabelAndDifferent() {
        SecureRandom random = new SecureRandom();
        Set<SandboxId> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            SandboxId id = SandboxId.random(random);
            assertThat(id.value()).matches("i[a-z0-9]{20}");
            seen.add(id);
        }
        assertThat(seen).hasSize(1_000);
        assertThat(new SandboxId(ID)).hasToString(ID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "i",
                "jabcdefghij0123456789",
                "iabcdefghij012345678",
                "iabcdefghij01234567890",
                "iABCDEFGHIJ0123456789",
                "i../../../etc/passwd0",
                "iabcdefghij012345678\n",
                "iabcdefghij012345678é"
            })
    void anIdOfAnotherShapeIsASandboxThatDoesNotExist(String value) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new SandboxId(value));
        assertThat(refusal.code()).isEqualTo(ErrorCode.SANDBOX_NOT_FOUND);
        assertThat(refusal).hasMessageContaining("no such sandbox");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "default", "0", "a-b", "a23456789012345678901234567890123456789012345678901234567890123"})
    void takesATenantsName(String value) {
        assertThat(new TenantId(value)).hasToString(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-a",
                "A",
                "a b",
                "a/b",
                "a.b",
                "a\n",
                "a234567890123456789012345678901234567890123456789012345678901234"
            })
    void refusesATenantsName(String value) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new TenantId(value));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("1 to 63");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a/b", "a b", "ä", "a\n"})
    void aContextOfAnotherShapeDoesNotExist(String value) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new ContextId(value));
        assertThat(refusal.code()).isEqualTo(ErrorCode.CONTEXT_NOT_FOUND);
        assertThat(refusal).hasMessageContaining("1 to 64");
    }

    @Test
    void processesAreNumberedFromOne() {
        assertThat(new ProcessId(1)).hasToString("1");
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new ProcessId(0));
        assertThat(refusal.code()).isEqualTo(ErrorCode.PROCESS_NOT_FOUND);
    }

    @Test
    void languagesAreKnownByWordAndByExtension() {
        for (Language language : Language.values()) {
            assertThat(Language.ofWord(language.word())).contains(language);
        }
        assertThat(Language.ofWord("Python")).isEmpty();
        assertThat(Language.ofFileName("a.b.PY")).contains(Language.PYTHON);
        assertThat(Language.ofFileName("main.mjs")).contains(Language.JAVASCRIPT);
        assertThat(Language.ofFileName("x.cts")).contains(Language.TYPESCRIPT);
        assertThat(Language.ofFileName("m.wasm")).contains(Language.WASM);
        assertThat(Language.ofFileName("p")).isEmpty();
        assertThat(Language.ofFileName("py,js")).isEmpty();
    }

    @Test
    void tiersAreKnownByWord() {
        for (Tier tier : Tier.values()) {
            assertThat(Tier.ofWord(tier.word())).contains(tier);
        }
        assertThat(Tier.ofWord("auto")).isEmpty();
    }
}
