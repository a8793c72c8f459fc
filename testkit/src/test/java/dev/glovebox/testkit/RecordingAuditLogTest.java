package dev.glovebox.testkit;

import dev.glovebox.core.audit.AuditLog;
import java.util.List;
import java.util.Locale;

class RecordingAuditLogTest extends AuditConformance {
    private RecordingAuditLog log = new RecordingAuditLog();

    @Override
    protected AuditLog open() {
        log = new RecordingAuditLog();
        return log;
    }

    @Override
    protected List<Entry> read() {
        return log.entries().stream()
                .map(entry -> new Entry(
                        entry.number(),
                        entry.event().kind().name().toLowerCase(Locale.ROOT),
                        entry.event().subject()))
                .toList();
    }
}
