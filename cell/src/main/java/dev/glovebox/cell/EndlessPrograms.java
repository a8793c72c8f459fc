package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Programs that had to be ended at their time limit the last time they ran: most of them will again. A guess that
/// is wrong costs some waiting, and only while others want a processor. Programs are told apart by a hash, so two
/// may be taken for one. Thread-safe, and nobody waits for a lock in it for long.
final class EndlessPrograms {
    /// What is not known to be any program.
    static final int UNKNOWN = 0;

    /// Then all are forgotten.
    static final int KNOWN_MAX = 1024;

    private final Set<Integer> known = ConcurrentHashMap.newKeySet();

    boolean contains(int program) {
        return known.contains(program);
    }

    /// Learns from how a run of the program ended.
    void learn(int program, Outcome outcome) {
        switch (outcome) {
            case Outcome.TimedOut _
            when program != UNKNOWN -> {
                if (known.size() >= KNOWN_MAX) {
                    known.clear();
                }
                known.add(program);
            }
            case Outcome.Exited _ when contains(program) -> known.remove(program);
            default -> {
                // It says nothing about the next time.
            }
        }
    }
}
