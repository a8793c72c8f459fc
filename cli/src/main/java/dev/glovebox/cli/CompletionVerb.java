package dev.glovebox.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `glovebox completion`: a script for bash and zsh.
@Command(
        name = "completion",
        description = "Print a completion script for bash and zsh: source <(glovebox completion)",
        sortOptions = false)
final class CompletionVerb implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("unused") // For its --help.
    private Home home = new Home();

    @Override
    public Integer call() {
        Messages.say(AutoComplete.bash("glovebox", Main.commandLine(Main.ORDER)));
        return 0;
    }
}
