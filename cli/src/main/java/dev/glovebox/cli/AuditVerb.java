package dev.glovebox.cli;

import dev.glovebox.server.AuditTool;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox audit`: the record of what was done.
@Command(
        name = "audit",
        description = "Check the record of what was done (verify), or show its end (tail).",
        sortOptions = false)
final class AuditVerb implements Callable<Integer> {
    private enum Action {
        VERIFY,
        TAIL
    }

    @Mixin
    private Home home = new Home();

    @Option(names = "-n", paramLabel = "COUNT", defaultValue = "20", description = "How many records tail shows.")
    private int count = 20;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on as records come.")
    private boolean follow;

    @Parameters(index = "0", paramLabel = "verify|tail", description = "What to do.")
    private Action action = Action.VERIFY;

    @Override
    public Integer call() throws InterruptedException {
        return switch (action) {
            case VERIFY -> verify();
            case TAIL -> {
                AuditTool.tail(home.directory(), count, follow, line -> Messages.say(Messages.safe(line)));
                yield 0;
            }
        };
    }

    private int verify() {
        AuditTool.Result result = AuditTool.verify(home.directory());
        Messages.say(Messages.safe(result.sentence()));
        return result.intact() ? 0 : 1;
    }
}
