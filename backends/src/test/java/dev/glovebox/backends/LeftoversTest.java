package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LeftoversTest {
    /// Beyond what Linux gives to processes.
    private static final String DEAD = "999999999";

    @TempDir
    private Path run;

    @Test
    void removesWhatDeadProcessesLeftAndNothingElse() throws IOException {
        String alive = Long.toString(ProcessHandle.current().pid());
        Files.createDirectories(run.resolve("linux-" + DEAD + "/mnt"));
        Files.createFile(run.resolve("linux-" + DEAD + "/agents.sock"));
        Files.createFile(run.resolve("agents-" + DEAD + ".sock"));
        for (String kept : new String[] {
            "agents-" + alive + ".sock", "agents-1.sock", "agents-x.sock", "agents-" + DEAD, "api.sock", "server.lock"
        }) {
            Files.createFile(run.resolve(kept));
        }
        Files.createDirectory(run.resolve("linux-" + alive));

        Leftovers.remove(run);

        try (Stream<Path> left = Files.list(run)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "agents-" + alive + ".sock",
                            "agents-1.sock",
                            "agents-x.sock",
                            "agents-" + DEAD,
                            "api.sock",
                            "server.lock",
                            "linux-" + alive);
        }
    }
}
