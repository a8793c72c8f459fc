package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `glovebox kill`: ends sandboxes.
@Command(name = "kill", description = "End sandboxes with everything in them.", sortOptions = false)
final class KillVerb implements Callable<Integer> {
    @Mixin
    private Server server = new Server();

    @Parameters(arity = "1..*", paramLabel = "ID", description = "The sandboxes.")
    private List<String> ids = new ArrayList<>();

    @Override
    public Integer call() {
        int status = 0;
        try (Glovebox client = server.require()) {
            for (String id : ids) {
                try {
                    client.sandboxes().get(id).kill();
                } catch (ApiException | IllegalArgumentException e) {
                    // The others are to end all the same.
                    status = Messages.failure(e);
                }
            }
        }
        return status;
    }
}
