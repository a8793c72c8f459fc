package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.SandboxPage;
import dev.glovebox.wire.api.SandboxResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `glovebox ps`: the sandboxes that are alive.
@Command(name = "ps", description = "List the sandboxes that are alive.", sortOptions = false)
final class PsVerb implements Callable<Integer> {
    @Mixin
    private Server server = new Server();

    @Option(names = "--metadata", paramLabel = "NAME=VALUE", description = "Only those that have it.")
    private Map<String, String> metadata = new LinkedHashMap<>();

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        try (Glovebox client = server.require()) {
            List<SandboxResponse> sandboxes = client.sandboxes().all(metadata);
            if (json) {
                byte[] page = RecordJson.write(new SandboxPage(sandboxes, null));
                Messages.say(new String(page, StandardCharsets.UTF_8));
            } else {
                Messages.say(row("ID", "TIER", "TEMPLATE", "LANGUAGE", "STATE", "EXPIRES"));
                sandboxes.forEach(sandbox -> Messages.say(row(sandbox)));
            }
            return 0;
        }
    }

    static String row(SandboxResponse sandbox) {
        return row(
                sandbox.id(),
                sandbox.tier(),
                sandbox.template().isEmpty() ? "-" : Messages.safe(sandbox.template()),
                sandbox.language(),
                sandbox.state(),
                Amounts.toSeconds(sandbox.expiresAt()));
    }

    private static String row(String id, String tier, String template, String language, String state, String expires) {
        return pad(id, 23) + pad(tier, 9) + pad(template, 13) + pad(language, 12) + pad(state, 10) + expires;
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(1, width - text.length()));
    }
}
