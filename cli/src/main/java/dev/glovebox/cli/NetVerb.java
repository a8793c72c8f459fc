package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.NetworkUsageReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

    static String text(NetworkResponse now) {
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
        NetworkRules.NetworkLimitSet limits = policy.limits();
        if (limits != null) {
            line(text, "limits", limits(limits));
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

    /// Those that are known; 0 is no bound.
    static String limits(NetworkRules.NetworkLimitSet limits) {
        List<String> parts = new ArrayList<>();
        Integer connections = limits.connections();
        if (connections != null) {
            parts.add(connections + " connections at once");
        }
        Integer perSecond = limits.connectionsPerSecond();
        if (perSecond != null) {
            parts.add(perSecond + " connections a second");
        }
        Long rate = limits.bytesPerSecond();
        if (rate != null) {
            parts.add(rate == 0 ? "any rate" : Amounts.show(rate) + " a second each way");
        }
        Long bytes = limits.bytes();
        if (bytes != null) {
            parts.add(bytes == 0 ? "any amount" : Amounts.show(bytes) + " in all");
        }
        return String.join(", ", parts);
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
