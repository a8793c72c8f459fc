package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.policy.Policy;
import dev.glovebox.server.e2b.E2bSandbox;
import dev.glovebox.server.e2b.SandboxLog;
import dev.glovebox.server.e2b.control.Creation.Generation;
import dev.glovebox.wire.e2b.ConnectRequest;
import dev.glovebox.wire.e2b.NetworkUpdate;
import dev.glovebox.wire.e2b.NewSandbox;
import dev.glovebox.wire.e2b.RefreshRequest;
import dev.glovebox.wire.e2b.TimeoutRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sandboxes: make, list, look at, extend, connect to, kill.
final class SandboxCalls {
    /// What an old client's call for life without a number is worth.
    private static final long REFRESH_SECONDS_DEFAULT = 15;

    private static final long REFRESH_SECONDS_MAX = 3600;

    private SandboxCalls() {}

    static void create(ControlCall call, Generation generation) {
        NewSandbox asked = call.body(NewSandbox.class);
        Creation creation =
                new Creation(call.services().tiers(), call.services().templates(), policy(call));
        Sandbox made = call.execute(new Command.CreateSandbox(creation.plan(asked, generation)));
        answer(call, 201, made);
    }

    private static Policy policy(ControlCall call) {
        return call.services().policies().of(call.principal().tenant());
    }

    private static void answer(ControlCall call, int status, Sandbox sandbox) {
        call.services().sandboxes().remember(sandbox);
        call.json(status, Views.created(sandbox, call.services().tokens(), domain(call)));
    }

    private static Optional<String> domain(ControlCall call) {
        return call.services().hosts().domainFor(call.authority());
    }

    static void list(ControlCall call) {
        Listing.Found found = Listing.of(call::query).find(call);
        found.next().ifPresent(next -> call.header("x-next-token", next));
        call.header("X-Total-Running", Integer.toString(found.running()));
        call.json(200, found.sandboxes().stream().map(Views::listed).toList());
    }

    /// The first generation knows no pages.
    static void listFirst(ControlCall call) {
        Map<String, String> metadata =
                call.query("metadata").map(MetadataFilter::parse).orElse(Map.of());
        List<Sandbox> running = Listing.all(call, metadata).stream()
                .filter(sandbox -> sandbox.state() instanceof SandboxState.Running)
                .sorted(ListCursor.order(false))
                .toList();
        call.json(200, running.stream().map(Views::listed).toList());
    }

    static void get(ControlCall call) {
        Sandbox sandbox = call.execute(new Command.GetSandbox(call.sandbox()));
        Command.NetworkView network = call.execute(new Command.InspectNetwork(call.sandbox()));
        call.json(200, Views.detail(sandbox, network.policy(), call.services().tokens(), domain(call)));
    }

    static void kill(ControlCall call) {
        call.execute(new Command.KillSandbox(call.sandbox()));
        call.done();
    }

    static void timeout(ControlCall call) {
        Duration lease = Timeouts.lease(call.body(TimeoutRequest.class).timeout(), policy(call));
        Sandbox extended = call.execute(new Command.ExtendLease(call.sandbox(), lease));
        note(call, extended, "it ends in " + lease.toSeconds() + " s");
        call.done();
    }

    private static void note(ControlCall call, Sandbox sandbox, String message) {
        call.services()
                .sandboxes()
                .remember(sandbox)
                .log()
                .add(new SandboxLog.Entry(call.services().clock().instant(), SandboxLog.Level.INFO, message, Map.of()));
    }

    static void network(ControlCall call) {
        Sandbox sandbox = call.execute(new Command.GetSandbox(call.sandbox()));
        NetworkPolicy policy = NetworkWish.of(call.body(NetworkUpdate.class));
        call.execute(new Command.ReplaceNetwork(call.sandbox(), policy));
        note(call, sandbox, "its network was replaced");
        call.done();
    }

    static void connect(ControlCall call, Generation generation) {
        ConnectRequest asked = call.body(ConnectRequest.class, new ConnectRequest(null, null));
        Duration lease = Optional.ofNullable(asked.timeout())
                .map(seconds -> Timeouts.lease(seconds, policy(call)))
                .orElse(generation.timeout());
        Sandbox sandbox = prolong(call, lease);
        note(call, sandbox, "a client connected");
        answer(call, 200, sandbox);
    }

    static void refresh(ControlCall call) {
        long asked = Optional.ofNullable(call.body(RefreshRequest.class, new RefreshRequest(null))
                        .duration())
                .orElse(REFRESH_SECONDS_DEFAULT);
        if (asked > REFRESH_SECONDS_MAX) {
            throw ControlError.invalid("Duration cannot be greater than " + REFRESH_SECONDS_MAX + " seconds");
        }
        prolong(call, Timeouts.lease(asked, policy(call)));
        call.done();
    }

    /// Lets a sandbox live at least so long from now, and never shorter than before.
    private static Sandbox prolong(ControlCall call, Duration lease) {
        Sandbox seen = call.execute(new Command.GetSandbox(call.sandbox()));
        E2bSandbox sandbox = call.services().sandboxes().remember(seen);
        sandbox.lease.lock();
        try {
            Sandbox now = call.execute(new Command.GetSandbox(call.sandbox()));
            Instant wished = call.services().clock().instant().plus(lease);
            return now.expiresAt().isBefore(wished)
                    ? call.execute(new Command.ExtendLease(call.sandbox(), lease))
                    : now;
        } finally {
            sandbox.lease.unlock();
        }
    }
}
