package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HomeLockTest {
    @TempDir
    private Path directory;

    @Test
    void letsOneServerHaveAHomeAtATime() throws IOException {
        HomeDirectory home = HomeDirectory.make(directory.resolve("home"));
        HomeDirectory other = HomeDirectory.make(directory.resolve("other"));
        try (HomeLock first = HomeLock.take(home);
                HomeLock beside = HomeLock.take(other)) {
            assertThat(first).isNotEqualTo(beside);
            assertThatThrownBy(() -> HomeLock.take(home))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(home.path().toString())
                    .hasMessageContaining("--home");
            // A refusal does not give the right of the first up.
            assertThatThrownBy(() -> HomeLock.take(home)).isInstanceOf(IllegalStateException.class);
        }
        HomeLock.take(home).close();
    }

    @Test
    void saysWhyADirectoryCannotBeAHome() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> HomeDirectory.make(file))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("the directory " + file + " cannot be used: " + file + " is there and no directory");
        assertThatThrownBy(() -> HomeDirectory.make(Path.of("/proc/nowhere")))
                .hasMessage("the directory /proc/nowhere cannot be used: /proc/nowhere cannot be made");
    }
}
