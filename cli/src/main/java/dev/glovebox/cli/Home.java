package dev.glovebox.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Which Glovebox a command speaks of. A mixin for every verb.
final class Home {
    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Where the server keeps its data (GLOVEBOX_HOME; else ~/.local/share/glovebox).")
    private @Nullable Path home;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    @SuppressWarnings("unused") // Read by the parser.
    private boolean help;

    Path directory() {
        if (home != null) {
            return home.toAbsolutePath();
        }
        String fromEnvironment = System.getenv("GLOVEBOX_HOME");
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return Path.of(fromEnvironment).toAbsolutePath();
        }
        String data = System.getenv("XDG_DATA_HOME");
        return data != null && data.startsWith("/")
                ? Path.of(data, "glovebox")
                : Path.of(System.getProperty("user.home"), ".local", "share", "glovebox");
    }

    Path socket() {
        return directory().resolve("run").resolve("api.sock");
    }
}
