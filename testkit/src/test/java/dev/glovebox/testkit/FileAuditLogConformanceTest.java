package dev.glovebox.testkit;

import dev.glovebox.core.audit.AuditLog;
import dev.glovebox.store.AuditKey;
import dev.glovebox.store.AuditReader;
import dev.glovebox.store.FileAuditLog;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

class FileAuditLogConformanceTest extends AuditConformance {
    private static final Pattern LINE = Pattern.compile(
            "\\{\"seq\":(\\d+),\"at\":\"[^\"]*\",\"kind\":\"(intent|outcome|refusal|notice)\",.*\"subject\":\"([^\"]*)\",.*");

    @TempDir
    Path home;

    @Override
    protected AuditLog open() {
        return FileAuditLog.open(home.resolve("audit"), new AuditKey(home), Clock.systemUTC());
    }

    @Override
    protected List<Entry> read() {
        return new AuditReader(home.resolve("audit"))
                .tail(100_000).stream()
                        .map(LINE::matcher)
                        .filter(Matcher::matches)
                        .map(line -> new Entry(Long.parseLong(line.group(1)), line.group(2), line.group(3)))
                        .toList();
    }
}
