package dev.glovebox.core.audit;

/// The record of what was done. Thread-safe. Append-only: there is no way to change or remove.
public interface AuditLog extends AutoCloseable {
    /// Appends and returns the record's number once it is on the disk: only then may the effect begin.
    ///
    /// @throws dev.glovebox.core.GloveboxException OVERLOADED if it cannot be written: then nothing may be done
    long appendDurably(AuditEvent event);

    /// Appends and returns at once; the record reaches the disk with the next durable one, or within a second.
    long append(AuditEvent event);

    @Override
    void close();
}
