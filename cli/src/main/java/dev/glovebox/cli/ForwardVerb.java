package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.PortForward;
import dev.glovebox.sdk.Sandbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `glovebox forward`: ports of a sandbox as ports of this machine.
@Command(
        name = "forward",
        description = "Reach ports inside a sandbox at 127.0.0.1, until Ctrl-C.",
        sortOptions = false)
final class ForwardVerb implements Callable<Integer> {
    private static final Pattern PORTS = Pattern.compile("(?:(\\d{1,5}):)?(\\d{1,5})");
    private static final int PORT_MAX = 65_535;
    /// A guest of these has no sockets. Better told now than to the first client.
    private static final Set<String> WITHOUT_PORTS = Set.of("wasm", "isolate");

    @Mixin
    private Server server = new Server();

    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "[LOCAL:]PORT",
            description = "A port inside, and that of this machine: the same if left out, any if 0.")
    private List<String> ports = new ArrayList<>();

    private final CountDownLatch sandboxGone = new CountDownLatch(1);

    /// A port here and one inside.
    private record Pair(int local, int inside) {
        static Pair of(String word) {
            Matcher matcher = PORTS.matcher(word);
            if (matcher.matches()) {
                int inside = Integer.parseInt(matcher.group(2));
                int local = matcher.group(1) == null ? inside : Integer.parseInt(matcher.group(1));
                if (inside >= 1 && inside <= PORT_MAX && local <= PORT_MAX) {
                    return new Pair(local, inside);
                }
            }
            throw new IllegalArgumentException(
                    "'" + word + "' is no port: give PORT or LOCAL:PORT, from 1 to " + PORT_MAX);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        List<Pair> pairs = ports.stream().map(Pair::of).toList();
        List<PortForward> forwards = new ArrayList<>();
        try (Glovebox client = server.require()) {
            Sandbox sandbox = client.sandboxes().get(id);
            String tier = sandbox.details().tier();
            if (WITHOUT_PORTS.contains(tier)) {
                throw new IllegalStateException(
                        "tier " + tier + " has no ports, so there is nothing to forward: make the"
                                + " sandbox with --tier gvisor or jail");
            }
            pairs.forEach(pair -> forwards.add(forward(sandbox, pair)));
            for (int i = 0; i < pairs.size(); i++) {
                int local = forwards.get(i).address().getPort();
                Messages.say("127.0.0.1:" + local + " -> " + pairs.get(i).inside());
            }
            sandboxGone.await();
            return Main.FAILED;
        } finally {
            forwards.forEach(PortForward::close);
        }
    }

    private PortForward forward(Sandbox sandbox, Pair pair) {
        try {
            return sandbox.forward(pair.local(), pair.inside(), this::tell);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "port " + pair.local() + " of this machine cannot be had (" + e.getMessage()
                            + "): name another as LOCAL:" + pair.inside() + ", or 0 for any",
                    e);
        }
    }

    private void tell(RuntimeException failure) {
        Messages.failure(failure);
        if (failure instanceof ApiException refusal && refusal.code().equals("sandbox_not_found")) {
            sandboxGone.countDown();
        }
    }
}
