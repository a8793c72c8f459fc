package dev.glovebox.cli;

import dev.glovebox.server.PolicyTool;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.PolicySchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox policy`: what a network policy says, without a server.
@Command(
        name = "policy",
        description = "Explain what a network policy says of a host and a port, or print the schema of policies.",
        sortOptions = false)
final class PolicyVerb implements Callable<Integer> {
    /// What `explain` ends with where the policy refuses.
    private static final int REFUSED = 1;

    private enum Action {
        EXPLAIN,
        SCHEMA
    }

    @Mixin
    @SuppressWarnings("unused") // For its --help.
    private Home home = new Home();

    @Option(names = "--udp", description = "UDP instead of TCP.")
    private boolean udp;

    @Parameters(
            index = "0",
            paramLabel = "explain|schema",
            description = "'explain FILE HOST PORT' ends with status 0 if it is allowed, 1 if it is refused.")
    private Action action = Action.SCHEMA;

    @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = "The policy.")
    private @Nullable Path file;

    @Parameters(index = "2", arity = "0..1", paramLabel = "HOST", description = "A name, an address, NAME.tunnel.")
    private @Nullable String host;

    @Parameters(index = "3", arity = "0..1", paramLabel = "PORT")
    private @Nullable String port;

    @Override
    public Integer call() throws IOException {
        if (action == Action.SCHEMA) {
            Messages.say(PolicySchema.text());
            return 0;
        }
        if (file == null || host == null || port == null) {
            throw new IllegalArgumentException("say what to explain: 'glovebox policy explain FILE HOST PORT'");
        }
        NetworkRules rules = NetworkOptions.read(file);
        PolicyTool.Explanation said = PolicyTool.explain(rules, host, TunnelVerb.port(port), udp);
        NetworkOptions.remarkClosedEntries(rules);
        Messages.say((said.isAllowed() ? "allowed by " : "refused by ") + Messages.safe(said.rule()));
        said.lines().forEach(line -> Messages.say("  " + Messages.safe(line)));
        return said.isAllowed() ? 0 : REFUSED;
    }
}
