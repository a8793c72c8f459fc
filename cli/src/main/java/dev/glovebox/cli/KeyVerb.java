package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.KeyList;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox key`: API keys.
@Command(name = "key", description = "Make, list or revoke API keys.", sortOptions = false)
final class KeyVerb implements Callable<Integer> {
    private enum Action {
        CREATE,
        LIST,
        REVOKE
    }

    @Mixin
    private Server server = new Server();

    @Option(names = "--label", paramLabel = "TEXT", description = "What the key is for.")
    private @Nullable String label;

    @Option(names = "--tenant", paramLabel = "NAME", description = "Whose key it is.")
    private @Nullable String tenant;

    @Option(names = "--admin", description = "Let it manage keys.")
    private boolean admin;

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "create|list|revoke", description = "What to do.")
    private Action action = Action.LIST;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The key to revoke.")
    private @Nullable String id;

    @Override
    public Integer call() {
        try (Glovebox client = server.require()) {
            switch (action) {
                case CREATE -> create(client);
                case LIST -> list(client.keys().list());
                case REVOKE -> {
                    if (id == null) {
                        throw new IllegalArgumentException("name the key to revoke: 'glovebox key list' shows its id");
                    }
                    client.keys().revoke(id);
                }
            }
        }
        return 0;
    }

    private void create(Glovebox client) {
        KeyResponse made = client.keys().create(new KeyRequest(label, tenant, admin ? "admin" : "tenant"));
        Messages.say(json ? new String(RecordJson.write(made), StandardCharsets.UTF_8) : String.valueOf(made.secret()));
    }

    private void list(List<KeyResponse> keys) {
        if (json) {
            Messages.say(new String(RecordJson.write(new KeyList(keys)), StandardCharsets.UTF_8));
            return;
        }
        for (KeyResponse key : keys) {
            Messages.say(
                    String.join("  ", key.id(), key.tenant(), key.role(), key.createdAt(), Messages.safe(key.label())));
        }
    }
}
