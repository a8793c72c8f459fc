package dev.glovebox.bench;

import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.NetworkRules.NetworkLimitSet;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.TunnelRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The network of sandboxes: what a connection through the proxy costs, what it carries, and what many of them hold.
/// Beside it the same program outside of a sandbox, connected to the same service on loopback.
final class EgressSection implements Section {
    private static final int CONNECTS = 400;
    private static final int CONNECTIONS = 1000;
    private static final int REPLACEMENTS = 60;
    private static final long BYTES = 2_000_000_000L;
    private static final long PATIENCE_SECONDS = 60;
    private static final double MEBIBYTE = 1024.0 * 1024;
    private static final long DAY_SECONDS = 86_400;
    private static final String TUNNEL = "bench";

    /// Prints the median of connecting and one byte there and back, in microseconds. The pause keeps it below the
    /// bound on connections a second.
    private static final String CONNECT = """
            import socket, sys, time
            address = (socket.gethostbyname(sys.argv[1]), int(sys.argv[2]))
            times = []
            for _ in range(int(sys.argv[3])):
                begun = time.perf_counter()
                s = socket.create_connection(address)
                s.sendall(b"x")
                s.recv(1)
                times.append(time.perf_counter() - begun)
                s.close()
                time.sleep(0.002)
            print(sorted(times)[len(times) // 2] * 1e6)
            """;

    /// Prints megabytes a second.
    private static final String RECEIVE = """
            import socket, sys, time
            s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
            count = int(sys.argv[3])
            buffer = bytearray(1 << 20)
            begun = time.perf_counter()
            s.sendall(b"bytes %d\\n" % count)
            left = count
            while left > 0:
                left -= s.recv_into(buffer)
            print(count / 1e6 / (time.perf_counter() - begun))
            """;

    /// Holds many connections until the sandbox is ended.
    private static final String HOLD = """
            import socket, sys, time
            address = (socket.gethostbyname(sys.argv[1]), int(sys.argv[2]))
            held = []
            for _ in range(int(sys.argv[3])):
                s = socket.create_connection(address)
                s.sendall(b"x")
                assert s.recv(1) == b"x"
                held.append(s)
                time.sleep(0.002)
            print("ready", flush=True)
            time.sleep(60)
            """;

    @Override
    public String name() {
        return "egress";
    }

    @Override
    public String title() {
        return "the network of sandboxes; bare: the same program outside, on loopback";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        String missing = Linux.missing(lab.distribution());
        if (!missing.isEmpty()) {
            sheet.note("left out: " + missing);
            return;
        }
        Linux here = Linux.find(lab.distribution());
        try (Product product = Product.start(lab.distribution(), Product.Setting.linux(here.templates()));
                LoopbackService service = new LoopbackService()) {
            product.client()
                    .tunnels()
                    .put(
                            TUNNEL,
                            new TunnelRequest(
                                    null, "127.0.0.1", service.port(), false, CONNECTIONS + 1, 0L, DAY_SECONDS));
            for (LinuxTarget tier : LinuxTarget.ALL) {
                Optional<String> lacking = LinuxSection.lacking(product, here, tier.word());
                if (lacking.isPresent()) {
                    sheet.note(tier.word() + " is left out: " + lacking.get());
                } else {
                    LinuxCase one = new LinuxCase(lab, product, here, tier, sheet);
                    new Measured(one, service.port()).all();
                }
            }
        }
    }

    /// Waits for the first word of a program.
    private record Ready(CountDownLatch latch) implements OutputListener {
        @Override
        public void stdout(byte[] bytes) {
            latch.countDown();
        }

        @Override
        public void stderr(byte[] bytes) {
            throw new BenchException("a program complained: " + new String(bytes, StandardCharsets.UTF_8).strip());
        }

        @Override
        public void result(RichResult result) {}
    }

    /// One tier.
    private record Measured(LinuxCase one, int port) {
        private static NetworkRules rules() {
            return new NetworkRules(
                    null,
                    null,
                    null,
                    null,
                    null,
                    List.of(TUNNEL),
                    null,
                    new NetworkLimitSet(CONNECTIONS + 1, CONNECTIONS, 0L, 0L));
        }

        private Sandbox create() {
            return one.product()
                    .client()
                    .sandboxes()
                    .create(new SandboxRequest(one.word(), "python", null, null, null, null, null, rules()));
        }

        private double inside(Sandbox sandbox, String program, long count) {
            return Double.parseDouble(LinuxCase.expectEnd(sandbox.run(request(program, count)))
                    .stdout()
                    .strip());
        }

        private CommandRequest request(String program, long count) {
            return CommandRequest.ofArguments(List.of(
                    "python3", "-c", program, TUNNEL + ".tunnel", Integer.toString(port), Long.toString(count)));
        }

        private double outside(String program, long count) {
            try (BareShell shell = new BareShell(one.here())) {
                return Double.parseDouble(
                        shell.run("python3 -c '" + program.replace("'", "'\\''") + "' 127.0.0.1 " + port + " " + count)
                                .strip());
            }
        }

        private void all() throws InterruptedException {
            Guests.awaitQuiet(one.product());
            Sandbox sandbox = create();
            try {
                connect(sandbox);
                receive(sandbox);
                replace(sandbox);
                hold(sandbox);
            } finally {
                sandbox.kill();
            }
        }

        private void connect(Sandbox sandbox) {
            int count = one.lab().times(CONNECTS);
            double bare = outside(CONNECT, count) / 1000;
            double through = inside(sandbox, CONNECT, count) / 1000;
            add("connect and one byte back", Figure.millis(through, "median"), Figure.millis(bare, ""), null);
            add("connect, more than bare", Figure.millis(through - bare, ""), null, Target.atMost(1));
        }

        private void receive(Sandbox sandbox) {
            long count = one.lab().isQuick() ? BYTES / 10 : BYTES;
            double bare = outside(RECEIVE, count);
            double through = inside(sandbox, RECEIVE, count);
            Target target = Target.ratioAtLeast(0.7);
            if (!one.word().equals("gvisor")) {
                add("received", rate(through, ""), rate(bare, ""), target);
                return;
            }
            add("received", rate(through, ""), rate(bare, ""), null);
            try (BareGate gate = new BareGate(one)) {
                double direct = Double.parseDouble(gate.run(RECEIVE, count).strip());
                // What is ours of it: with nothing in between its own stack is slower than loopback already.
                String detail = "bare: gVisor's own stack, the service at the other end of its interface";
                add("received, of what its stack can", rate(through, detail), rate(direct, ""), target);
            }
        }

        private static Figure rate(double megabytes, String detail) {
            return new Figure(megabytes, "MB/s", detail);
        }

        private void replace(Sandbox sandbox) {
            Samples samples = Stopwatch.repeat(one.lab().times(REPLACEMENTS), () -> sandbox.replaceNetwork(rules()));
            add("other rules hold", Figure.median(samples), null, Target.atMost(50));
        }

        private void hold(Sandbox sandbox) throws InterruptedException {
            CountDownLatch ready = new CountDownLatch(1);
            double grown;
            try (MemoryWatch watch = new MemoryWatch(one.product().pid())) {
                Thread.ofVirtual().start(() -> sandbox.run(request(HOLD, CONNECTIONS), new Ready(ready)));
                if (!ready.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new BenchException(CONNECTIONS + " connections could not be made");
                }
                grown = watch.grownBytes() / MEBIBYTE;
            }
            String held = CONNECTIONS + " connections at once, the server grew by";
            add(held, new Figure(grown, "MiB", ""), null, null);
            long begun = System.nanoTime();
            sandbox.replaceNetwork(NetworkRules.allowing(List.of()));
            double millis = (System.nanoTime() - begun) / 1e6;
            add("other rules that cut all of them", Figure.millis(millis, ""), null, Target.atMost(50));
        }

        private void add(String what, Figure figure, @Nullable Figure bare, @Nullable Target target) {
            one.sheet().add(one.word() + " " + what, figure, bare, target);
        }
    }
}
