package dev.glovebox.core;

import java.time.Duration;

/// How a process or an execution ended. What a guest does wrong is one of these values, never an exception.
public sealed interface Outcome {

    /// It ended by itself. `code` is 0 to 255; 0 is success.
    record Exited(int code) implements Outcome {
        public Exited {
            if (code < 0 || code > 255) {
                throw new IllegalArgumentException("exit code " + code + " is outside 0..255");
            }
        }
    }

    /// It ran into a time limit; `clock` says which.
    record TimedOut(Duration limit, Clock clock) implements Outcome {}

    /// It asked for more memory than `limitBytes`.
    record OutOfMemory(long limitBytes) implements Outcome {}

    /// It did what a rule forbids, for example wrote more output than its limit. `reason` is a sentence for people.
    record KilledByPolicy(String rule, String reason) implements Outcome {}

    /// A caller ended it: by a signal, an interrupt that it did not heed, or the end of its sandbox.
    record Killed(String reason) implements Outcome {}

    /// What ran it went away. The code itself is not known to have done anything wrong.
    record BackendLost(String reason) implements Outcome {}

    /// Which time a limit counts.
    enum Clock {
        /// Time on the wall, waiting included.
        WALL,
        /// Time on a processor.
        CPU
    }

    /// The word for this outcome in every interface.
    default String word() {
        return switch (this) {
            case Exited _ -> "exited";
            case TimedOut _ -> "timed_out";
            case OutOfMemory _ -> "out_of_memory";
            case KilledByPolicy _ -> "killed_by_policy";
            case Killed _ -> "killed";
            case BackendLost _ -> "backend_lost";
        };
    }

    /// The exit status that a shell would show: the guest's own, or the customary number for the way it ended.
    default int exitStatus() {
        return switch (this) {
            case Exited exited -> exited.code();
            case TimedOut _ -> 124;
            case OutOfMemory _ -> 137;
            case KilledByPolicy _ -> 152;
            case Killed _ -> 143;
            case BackendLost _ -> 125;
        };
    }

    /// One sentence for people: what happened and, where there is one, the bound.
    default String sentence() {
        return switch (this) {
            case Exited exited -> "exited with status " + exited.code();
            case TimedOut(Duration limit, Clock clock) ->
                "ended at its limit of " + limit.toMillis() + " ms "
                        + (clock == Clock.CPU ? "of processor time" : "of wall time");
            case OutOfMemory(long limitBytes) -> "needed more memory than its limit of " + limitBytes + " bytes";
            case KilledByPolicy killed -> killed.reason() + " (rule " + killed.rule() + ")";
            case Killed killed -> "was ended: " + killed.reason();
            case BackendLost lost -> "was lost: " + lost.reason();
        };
    }
}
