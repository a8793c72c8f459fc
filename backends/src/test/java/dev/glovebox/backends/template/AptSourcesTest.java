package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AptSourcesTest {
    @Test
    void takesTheSuiteWithItsUpdates() {
        assertThat(AptSources.forSuite(
                        "bookworm",
                        List.of(
                                "deb http://mirror.example/debian/ bookworm main",
                                "deb http://mirror.example/debian/ bookworm main",
                                "deb http://mirror.example/security/ bookworm-security main",
                                "deb http://mirror.example/debian/ bookworm-backports main",
                                "deb http://mirror.example/debian/ trixie main",
                                "deb http://other.example/apt/ stable main",
                                "")
                                .stream()))
                .containsExactly(
                        "deb http://mirror.example/debian/ bookworm main",
                        "deb http://mirror.example/security/ bookworm-security main");
    }

    @Test
    void thePublicSourcesAreThoseOfTheExample() {
        String example = """
                # See sources.list(5)
                deb http://debian.example/debian bookworm main contrib non-free
                deb http://debian.example/debian bookworm-updates main contrib
                #deb-src http://debian.example/debian bookworm main
                """;
        assertThat(AptSources.publicSources(example, "bookworm")).isEqualTo("""
                deb http://debian.example/debian bookworm main
                deb http://debian.example/debian bookworm-updates main
                """);
    }

    @Test
    void wheelsOfOldAndNewSystemsFit() {
        assertThat(LanguageSteps.platforms("amd64"))
                .contains("manylinux_2_17_x86_64", "manylinux_2_28_x86_64", "manylinux2014_x86_64")
                .doesNotContain("manylinux_2_37_x86_64");
        assertThat(LanguageSteps.platforms("aarch64")).contains("manylinux_2_28_aarch64");
    }
}
