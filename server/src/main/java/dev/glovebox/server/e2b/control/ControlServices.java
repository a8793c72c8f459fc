package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Tier;
import dev.glovebox.engine.Gate;
import dev.glovebox.engine.Policies;
import dev.glovebox.server.auth.Authenticator;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.server.e2b.traffic.TrafficHosts;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the control plane stands on.
///
/// @param tiers those that work on this machine
/// @param templates the Linux templates that are built here
/// @param takesWork false once the server is stopping
public record ControlServices(
        Gate gate,
        Authenticator authenticator,
        E2bSandboxes sandboxes,
        SandboxTokens tokens,
        TrafficHosts hosts,
        Policies policies,
        Set<Tier> tiers,
        Supplier<List<BuiltTemplate>> templates,
        Clock clock,
        BooleanSupplier takesWork) {}
