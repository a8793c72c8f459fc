package dev.glovebox.server.e2b;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/// What happened to a sandbox, for its owner: no words of guests, and no arguments of programs, which may hold secrets.
/// The last [#ENTRIES_MAX] are kept, as long as the sandbox lives. Thread-safe.
public final class SandboxLog {
    static final int ENTRIES_MAX = 1000;

    private final Deque<Entry> entries = new ArrayDeque<>();

    /// How much it matters.
    public enum Level {
        DEBUG,
        INFO,
        WARN,
        ERROR
    }

    /// One thing that happened.
    public record Entry(Instant at, Level level, String message, Map<String, String> fields) {
        public Entry {
            fields = Map.copyOf(fields);
        }
    }

    public synchronized void add(Entry entry) {
        if (entries.size() == ENTRIES_MAX) {
            entries.removeFirst();
        }
        entries.addLast(entry);
    }

    /// Oldest first.
    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }
}
