package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.TunnelList;
import dev.glovebox.wire.api.TunnelRequest;
import dev.glovebox.wire.api.TunnelResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox tunnel`: services that sandboxes may name.
@Command(
        name = "tunnel",
        description = "Define, list or remove tunnels: services that sandboxes reach as NAME.tunnel.",
        sortOptions = false)
final class TunnelVerb implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;

    private enum Action {
        PUT,
        LIST,
        REMOVE
    }

    @Mixin
    private Server server = new Server();

    @Option(names = "--tenant", paramLabel = "NAME", description = "Whose sandboxes may name it.")
    private @Nullable String tenant;

    @Option(names = "--tls", description = "Speak TLS with the service; the sandbox speaks plainly.")
    private boolean tls;

    @Option(names = "--connections", paramLabel = "N", description = "At once, from one sandbox.")
    private @Nullable Integer connections;

    @Option(names = "--bytes", paramLabel = "SIZE", description = "Of one connection, such as 100M.")
    private @Nullable String bytes;

    @Option(names = "--idle", paramLabel = "TIME", description = "Without a byte in either direction, such as 10m.")
    private @Nullable String idle;

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "put|list|remove", description = "What to do.")
    private Action action = Action.LIST;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The tunnel to put or to remove.")
    private @Nullable String name;

    @Parameters(index = "2", arity = "0..1", paramLabel = "HOST:PORT", description = "The service.")
    private @Nullable String target;

    @Override
    public Integer call() {
        switch (action) {
            case PUT -> put(named());
            case LIST -> {
                try (Glovebox client = server.require()) {
                    list(client.tunnels().list(tenant));
                }
            }
            case REMOVE -> {
                String removed = named();
                try (Glovebox client = server.require()) {
                    client.tunnels().remove(removed, tenant);
                }
            }
        }
        return 0;
    }

    private String named() {
        if (name == null) {
            throw new IllegalArgumentException("name the tunnel: 'glovebox tunnel list' shows all");
        }
        return name;
    }

    private void put(String named) {
        String service = target == null ? "" : target;
        int colon = service.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("say where the service is, as in 10.1.2.3:5432 or db.internal:5432");
        }
        String host = service.substring(0, colon);
        TunnelRequest request = new TunnelRequest(
                tenant,
                host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host,
                port(service.substring(colon + 1)),
                tls,
                connections,
                bytes == null ? null : Amounts.bytes(bytes),
                idle == null ? null : Amounts.duration(idle).toSeconds());
        try (Glovebox client = server.require()) {
            TunnelResponse made = client.tunnels().put(named, request);
            Messages.say(json ? new String(RecordJson.write(made), StandardCharsets.UTF_8) : line(made));
        }
    }

    /// A port in an argument.
    ///
    /// @throws IllegalArgumentException in words
    static int port(String text) {
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > PORT_MAX) {
            throw new IllegalArgumentException("the port " + text + " is outside 1.." + PORT_MAX);
        }
        return Integer.parseInt(text);
    }

    private static String line(TunnelResponse tunnel) {
        return Messages.safe(String.join(
                "  ",
                tunnel.name(),
                tunnel.tenant(),
                tunnel.host() + ":" + tunnel.port(),
                tunnel.tls() ? "tls" : "plain",
                tunnel.connections() + " connections",
                Amounts.show(java.time.Duration.ofSeconds(tunnel.idleSeconds())) + " idle"));
    }

    private void list(List<TunnelResponse> tunnels) {
        if (json) {
            Messages.say(new String(RecordJson.write(new TunnelList(tunnels)), StandardCharsets.UTF_8));
        } else {
            tunnels.forEach(tunnel -> Messages.say(line(tunnel)));
        }
    }
}
