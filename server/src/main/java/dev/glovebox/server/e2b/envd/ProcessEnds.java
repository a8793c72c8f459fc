package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Outcome;
import dev.glovebox.wire.e2b.ProcessEnd;
import org.jspecify.annotations.Nullable;

/// How a process ended, in the words of E2B's clients.
final class ProcessEnds {
    private static final int NOT_BY_ITSELF = -1;
    private static final String KILLED = "signal: killed";

    private ProcessEnds() {}

    static ProcessEvent event(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Exited(int code) ->
                new ProcessEvent.Ended(
                        new ProcessEnd(code, true, "exit status " + code, code == 0 ? null : "exit status " + code),
                        false);
            case Outcome.Killed(String reason) -> ended(signal(reason), signal(reason));
            case Outcome.TimedOut timedOut ->
                new ProcessEvent.Ended(
                        new ProcessEnd(NOT_BY_ITSELF, false, KILLED, outcome.sentence()),
                        timedOut.clock() == Outcome.Clock.WALL);
            case Outcome.OutOfMemory _, Outcome.KilledByPolicy _ -> ended(KILLED, outcome.sentence());
            case Outcome.BackendLost(String reason) ->
                new ProcessEvent.Failed(new GloveboxException(ErrorCode.BACKEND_LOST, reason));
        };
    }

    private static ProcessEvent ended(String status, @Nullable String error) {
        return new ProcessEvent.Ended(new ProcessEnd(NOT_BY_ITSELF, false, status, error), false);
    }

    /// Tiers say `signal 15` where a signal that was sent from outside ended it.
    private static String signal(String reason) {
        return switch (reason) {
            case "signal 1" -> "signal: hangup";
            case "signal 2" -> "signal: interrupt";
            case "signal 3" -> "signal: quit";
            case "signal 6" -> "signal: aborted";
            case "signal 15" -> "signal: terminated";
            default -> KILLED;
        };
    }
}
