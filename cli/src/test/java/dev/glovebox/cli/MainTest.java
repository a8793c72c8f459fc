package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class MainTest {
    @TempDir
    private Path home;

    private int execute(String... arguments) {
        return Main.execute(arguments);
    }

    @Test
    void refusesWrongCallsWithStatusTwo() {
        assertThat(execute()).isEqualTo(2);
        assertThat(execute("nonsense")).isEqualTo(2);
        assertThat(execute("run")).isEqualTo(2);
        assertThat(execute("run", "--nonsense")).isEqualTo(2);
        assertThat(execute("run", "/nowhere/at/all.py")).isEqualTo(2);
        assertThat(execute("run", "-c", "1", "--timeout", "soon")).isEqualTo(2);
        assertThat(execute("cp", "a", "b")).isEqualTo(2);
        assertThat(execute("kill")).isEqualTo(2);
        assertThat(execute("forward", "i0")).isEqualTo(2);
        assertThat(execute("forward", "i0", "0")).isEqualTo(2);
        assertThat(execute("forward", "i0", "80:70000")).isEqualTo(2);
        assertThat(execute("forward", "i0", "http")).isEqualTo(2);
        assertThat(execute("audit", "nonsense")).isEqualTo(2);
    }

    @Test
    void refusesADirectoryWhereAFileIsMeant() {
        String directory = home.toString();
        assertThat(execute("run", directory)).isEqualTo(2);
        assertThat(execute("run", "-c", "1", "--file", directory)).isEqualTo(2);
        assertThat(execute("run", "-c", "1", "--stdin", directory)).isEqualTo(2);
        assertThat(execute("cp", directory, "iaaaaaaaaaaaaaaaaaaaa:x", "--home", directory))
                .isEqualTo(2);
    }

    @Test
    void helpsWhoAsks() {
        for (String[] asked : new String[][] {
            {"help"}, {"--help"}, {"-h"}, {"help", "cp"}, {"cp", "--help"}, {"version"}, {"--version"}
        }) {
            assertThat(execute(asked)).as(String.join(" ", asked)).isZero();
        }
        assertThat(execute("help", "nonsense")).isEqualTo(2);
    }

    @Test
    void refusesToWriteIntoADirectoryThatIsNotThere() {
        String missing = home.resolve("missing/file").toString();
        assertThat(execute("run", "-c", "1", "--fetch", "a:" + missing)).isEqualTo(2);
        assertThat(execute("cp", "iaaaaaaaaaaaaaaaaaaaa:x", missing)).isEqualTo(2);
        assertThat(execute("cp", "iaaaaaaaaaaaaaaaaaaaa:", home.toString())).isEqualTo(2);
    }

    @Test
    void saysThatNoServerRuns() {
        assertThat(execute("ps", "--home", home.toString())).isEqualTo(Main.FAILED);
        assertThat(execute("key", "list", "--home", home.toString())).isEqualTo(Main.FAILED);
    }

    @Test
    void describesEveryVerb() {
        for (String verb : List.of(
                "run",
                "serve",
                "doctor",
                "create",
                "ps",
                "exec",
                "cp",
                "forward",
                "net",
                "kill",
                "audit",
                "key",
                "secret",
                "tunnel",
                "policy",
                "completion")) {
            CommandLine described = Objects.requireNonNull(
                    Main.commandLine(List.of(verb)).getSubcommands().get(verb));
            String usage = described.getUsageMessage();
            assertThat(usage).contains("Usage: glovebox " + verb).contains("--help");
        }
    }
}
