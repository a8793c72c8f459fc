package dev.glovebox.testkit;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.audit.AuditLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// An audit log in memory that a test can read, and that can be made to fail as a full disk would. Thread-safe.
public final class RecordingAuditLog implements AuditLog {
    /// What was appended.
    ///
    /// @param durable whether the writer waited for the disk
    public record Entry(long number, AuditEvent event, boolean durable) {}

    private final List<Entry> entries = new ArrayList<>();
    private Predicate<AuditEvent> full = _ -> false;
    private boolean closed;

    @Override
    public long appendDurably(AuditEvent event) {
        return add(event, true);
    }

    @Override
    public long append(AuditEvent event) {
        return add(event, false);
    }

    private synchronized long add(AuditEvent event, boolean durable) {
        if (closed || full.test(event)) {
            throw new GloveboxException(ErrorCode.OVERLOADED, "the audit log cannot be written: the fake is full");
        }
        entries.add(new Entry(entries.size() + 1L, event, durable));
        return entries.size();
    }

    /// From now on events that match are refused.
    public synchronized void failFor(Predicate<AuditEvent> which) {
        full = which;
    }

    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }

    /// The entries about a verb.
    public List<Entry> entries(String verb) {
        return entries().stream()
                .filter(entry -> entry.event().verb().equals(verb))
                .toList();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
