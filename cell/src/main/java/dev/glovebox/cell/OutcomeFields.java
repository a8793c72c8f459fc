package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;

/// An outcome as fields of CLOSE.
final class OutcomeFields {
    private OutcomeFields() {}

    static void put(Fields.Builder fields, Outcome outcome) {
        switch (outcome) {
            case Outcome.Exited(int code) -> fields.number(Tag.OUTCOME, 1).number(Tag.EXIT_CODE, code);
            case Outcome.TimedOut(var limit, var clock) ->
                fields.number(Tag.OUTCOME, 2)
                        .number(clock == Outcome.Clock.CPU ? Tag.CPU_MILLIS : Tag.WALL_MILLIS, limit.toMillis());
            case Outcome.OutOfMemory(long limit) ->
                fields.number(Tag.OUTCOME, 3).number(Tag.MEMORY_BYTES, limit);
            case Outcome.KilledByPolicy(var rule, var reason) ->
                fields.number(Tag.OUTCOME, 4).text(Tag.RULE, rule).text(Tag.REASON, reason);
            case Outcome.Killed(var reason) -> fields.number(Tag.OUTCOME, 5).text(Tag.REASON, reason);
            case Outcome.BackendLost(var reason) ->
                fields.number(Tag.OUTCOME, 6).text(Tag.REASON, reason);
        }
    }
}
