package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.SandboxRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `glovebox create`: a sandbox that stays.
@Command(name = "create", description = "Make a sandbox and print its id.", sortOptions = false)
final class CreateVerb implements Callable<Integer> {
    @Mixin
    private Server server = new Server();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(names = "--tier", paramLabel = "TIER", description = "auto (the default), wasm, isolate, ...")
    private @Nullable String tier;

    @Option(
            names = {"--lang", "--language"},
            paramLabel = "LANG",
            description = "What it will mostly run.")
    private @Nullable String language;

    @Option(names = "--template", paramLabel = "NAME", description = "What it starts from, such as base or code.")
    private @Nullable String template;

    @Option(names = "--lease", paramLabel = "TIME", description = "How long it may live, such as 10m.")
    private @Nullable String lease;

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "For every process in it.")
    private Map<String, String> environment = new LinkedHashMap<>();

    @Option(names = "--metadata", paramLabel = "NAME=VALUE", description = "Your own words.")
    private Map<String, String> metadata = new LinkedHashMap<>();

    @Option(names = "--json", description = "Answer with everything as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        SandboxRequest request = new SandboxRequest(
                tier,
                language,
                template,
                lease == null ? null : Amounts.duration(lease).toSeconds(),
                limits.toWire(),
                environment,
                metadata,
                network.toWire());
        try (Glovebox client = server.require()) {
            Sandbox made = client.sandboxes().create(request);
            Messages.say(json ? new String(RecordJson.write(made.details()), StandardCharsets.UTF_8) : made.id());
            return 0;
        }
    }
}
