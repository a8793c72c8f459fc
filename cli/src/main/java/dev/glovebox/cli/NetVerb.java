package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.NetworkUsageReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox net`: what a sandbox may reach.
@Command(
        name = "net",
        description = "Show or replace what a sandbox may reach; what is no longer allowed is cut.",
        sortOptions = false)
final class NetVerb implements Callable<Integer> {
    @Mixin
    private Server server = new Server();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(names = "--close", description = "Let it reach nothing any more.")
    private boolean close;

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id.")
    private String id = "";

    @Override
    public Integer call() throws IOException {
        if (close && network.isGiven()) {
            throw new IllegalArgumentException("--close and --allow or --network exclude each other");
        }
        NetworkRules rules = close ? NetworkRules.allowing(List.of()) : network.toWire();
        try (Glovebox client = server.require()) {
            Sandbox sandbox = client.sandboxes().get(id);
            NetworkResponse now = rules == null ? sandbox.network() : sandbox.replaceNetwork(rules);
            Messages.say(json ? new String(RecordJson.write(now), StandardCharsets.UTF_8) : text(now));
        }
        return 0;
    }

    private static String text(NetworkResponse now) {
        StringBuilder text = new StringBuilder();
        NetworkRules policy = now.policy();
        list(text, "allow", policy.allowOut());
        list(text, "deny", policy.denyOut());
        Map<String, List<NetworkRules.HostRule>> rules = policy.rules();
        if (rules != null) {
            rules.keySet().forEach(host -> line(text, "rule", host));
        }
        list(text, "tunnel", policy.tunnels());
        NetworkRules.EgressProxy proxy = policy.egressProxy();
        if (proxy != null) {
            line(text, "proxy", proxy.address());
        }
        NetworkUsageReport usage = now.usage();
        line(
                text,
                "usage",
                usage.open() + " open, " + usage.allowed() + " allowed, " + usage.denied() + " denied, "
                        + Amounts.show(usage.sentBytes()) + " sent, " + Amounts.show(usage.receivedBytes())
                        + " received");
        return text.toString();
    }

    private static void list(StringBuilder text, String what, @Nullable List<String> entries) {
        if (entries != null) {
            entries.forEach(entry -> line(text, what, entry));
        }
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append("%-7s %s%n".formatted(what, Messages.safe(value)));
    }
}
