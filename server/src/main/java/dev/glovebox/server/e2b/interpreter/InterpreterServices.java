package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.SandboxId;
import dev.glovebox.engine.Gate;
import dev.glovebox.server.e2b.HeldBodies;
import java.time.Clock;
import java.util.function.Predicate;

/// What the code interpreter stands on.
///
/// @param isRunning whether a sandbox runs
public record InterpreterServices(Gate gate, Clock clock, Predicate<SandboxId> isRunning, HeldBodies bodies) {}
