package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.SandboxId;
import dev.glovebox.engine.Gate;
import dev.glovebox.server.e2b.HeldBodies;
import dev.glovebox.server.e2b.SandboxTokens;
import java.time.Clock;
import java.util.function.Predicate;

/// What envd's calls stand on.
///
/// @param isRunning whether a sandbox runs
public record EnvdServices(
        Gate gate, SandboxTokens tokens, Clock clock, Predicate<SandboxId> isRunning, HeldBodies bodies) {}
