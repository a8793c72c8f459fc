package dev.glovebox.core;

import java.time.Instant;

/// What a sandbox can be, and how it gets from one to the other. Immutable; the engine holds the current one.
public sealed interface SandboxState {
    record Creating() implements SandboxState {}

    record Running(Instant since) implements SandboxState {}

    record Pausing() implements SandboxState {}

    record Paused(Instant since) implements SandboxState {}

    record Resuming() implements SandboxState {}

    record Killing(StopReason reason) implements SandboxState {}

    record Dead(StopReason reason, Instant since) implements SandboxState {}

    /// Whether a sandbox in this state may become `next`. Dead is final; from everywhere else it may be killed.
    default boolean mayBecome(SandboxState next) {
        return switch (this) {
            case Creating _ -> next instanceof Running || next instanceof Killing || next instanceof Dead;
            case Running _ -> next instanceof Pausing || next instanceof Killing || next instanceof Dead;
            case Pausing _ -> next instanceof Paused || next instanceof Running || next instanceof Killing;
            case Paused _ -> next instanceof Resuming || next instanceof Killing;
            case Resuming _ -> next instanceof Running || next instanceof Paused || next instanceof Killing;
            case Killing _ -> next instanceof Dead;
            case Dead _ -> false;
        };
    }

    /// The word for this state in every interface.
    default String word() {
        return switch (this) {
            case Creating _ -> "creating";
            case Running _ -> "running";
            case Pausing _ -> "pausing";
            case Paused _ -> "paused";
            case Resuming _ -> "resuming";
            case Killing _ -> "killing";
            case Dead _ -> "dead";
        };
    }
}
