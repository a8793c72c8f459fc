package dev.glovebox.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `glovebox version`.
@Command(name = "version", description = "Print the version.")
final class VersionVerb implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("unused") // For its --help.
    private Home home = new Home();

    @Override
    public Integer call() {
        @Nullable String version = Main.class.getPackage().getImplementationVersion();
        Messages.say(
                "glovebox " + (version == null ? "(built from source)" : version) + " · Java " + Runtime.version());
        return 0;
    }
}
