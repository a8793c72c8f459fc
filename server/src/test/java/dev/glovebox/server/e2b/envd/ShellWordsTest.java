package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShellWordsTest {
    @Test
    void splitsAsAShellDoes() {
        assertThat(ShellWords.split("python -c 'print(1)'")).containsExactly("python", "-c", "print(1)");
        assertThat(ShellWords.split("  a\t b  ")).containsExactly("a", "b");
        assertThat(ShellWords.split("a'b'\"c\"d '' \"\"")).containsExactly("abcd", "", "");
        assertThat(ShellWords.split("\"a\\\"b\\\\c\\$d\\n\"")).containsExactly("a\"b\\c$d\\n");
        assertThat(ShellWords.split("a\\ b \\'")).containsExactly("a b", "'");
        assertThat(ShellWords.split("'$x `y` | \\'")).containsExactly("$x `y` | \\");
        assertThat(ShellWords.split("python -c 'a\nb'")).containsExactly("python", "-c", "a\nb");
        assertThat(ShellWords.split("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a | b", "a; b", "a && b", "a > b", "a < b", "(a)", "`a`", "$(a)", "$a", "\"$a\"", "\"`a`\"", "a *",
                "a ?", "~/a", "a # b", "!a", "{a,b}", "[a]", "a\nb", "'a", "\"a", "a\\"
            })
    void whatNeedsAShellIsRefused(String line) {
        assertThatThrownBy(() -> ShellWords.split(line)).isInstanceOf(GloveboxException.class);
    }

    private static List<String> shell(Tier tier, String command) {
        return TierCommands.arguments(tier, "/bin/bash", List.of("-l", "-c", command));
    }

    @Test
    void linuxTiersGetTheCommandUnchanged() {
        for (Tier tier : List.of(Tier.JAIL, Tier.GVISOR)) {
            assertThat(shell(tier, "a | b")).containsExactly("/bin/bash", "-l", "-c", "a | b");
        }
    }

    @Test
    void othersGetTheWordsOfAnInterpreter() {
        assertThat(shell(Tier.WASM, "python -c \"print(1)\"")).containsExactly("python", "-c", "print(1)");
        assertThat(shell(Tier.WASM, "/usr/bin/python3 a.py b")).containsExactly("/usr/bin/python3", "a.py", "b");
        assertThat(shell(Tier.ISOLATE, "node -e '1'")).containsExactly("node", "-e", "1");
        assertThat(shell(Tier.WASM, "./a.wasm x")).containsExactly("./a.wasm", "x");
        assertThat(TierCommands.arguments(Tier.WASM, "python", List.of("-c", "a | b")))
                .containsExactly("python", "-c", "a | b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "", "python a | cat", "FOO=1 python a", "bash -c x"})
    void othersRefuseEverythingElseByTheTiersName(String command) {
        assertThatThrownBy(() -> shell(Tier.WASM, command))
                .isInstanceOfSatisfying(
                        ConnectFailure.class,
                        failure -> assertThat(failure.code()).isEqualTo(ConnectCode.INVALID_ARGUMENT))
                .hasMessageContaining("the tier wasm cannot run this");
        assertThatThrownBy(() -> TierCommands.arguments(Tier.WASM, "/bin/bash", List.of("-i", "-l")))
                .hasMessageContaining("it has no shell");
    }
}
