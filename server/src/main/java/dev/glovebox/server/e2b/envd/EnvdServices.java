package dev.glovebox.server.e2b.envd;

import dev.glovebox.engine.Gate;
import dev.glovebox.server.e2b.SandboxTokens;
import java.time.Clock;

/// What envd's calls stand on.
public record EnvdServices(Gate gate, SandboxTokens tokens, Clock clock) {}
