package dev.glovebox.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Language;
import dev.glovebox.wire.api.SandboxRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ToCoreTest {
    private static Language languageOf(@Nullable String tier, @Nullable String language) {
        return ToCore.sandbox(new SandboxRequest(tier, language, null, null, null, null))
                .language();
    }

    @Test
    void takesTheLanguageThatTheTierHas() {
        assertThat(languageOf(null, null)).isEqualTo(Language.PYTHON);
        assertThat(languageOf("wasm", null)).isEqualTo(Language.PYTHON);
        assertThat(languageOf("isolate", null)).isEqualTo(Language.JAVASCRIPT);
        assertThat(languageOf("isolate", "typescript")).isEqualTo(Language.TYPESCRIPT);
    }

    @Test
    void namesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> languageOf("strong\n", null))
                .hasMessageStartingWith("there is no tier 'strong?'; there are auto, ");
        assertThatThrownBy(() -> languageOf(null, "bash"))
                .hasMessageStartingWith("there is no language 'bash'; there are python, ");
    }
}
