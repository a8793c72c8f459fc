package dev.glovebox.server;

import dev.glovebox.store.AuditKey;
import dev.glovebox.store.AuditReader;
import dev.glovebox.store.AuditVerifier;
import dev.glovebox.store.AuditVerifier.Verdict;
import java.nio.file.Path;
import java.util.function.Consumer;

/// Looks at the audit log without a server: only its files are read.
public final class AuditTool {
    private AuditTool() {}

    /// What a check found.
    public record Result(boolean intact, String sentence) {}

    /// Walks the whole log.
    public static Result verify(Path path) {
        HomeDirectory home = new HomeDirectory(path);
        AuditKey key = new AuditKey(home.path());
        Verdict verdict = AuditVerifier.verify(home.audit(), AuditKey.readPublic(key.publicFile()));
        return switch (verdict) {
            case Verdict.Intact intact ->
                new Result(
                        true,
                        "intact: " + intact.records() + " records, " + intact.firstSeq() + " to " + intact.lastSeq()
                                + ", " + intact.seals() + " signed segments; the last record's hash is "
                                + intact.head());
            case Verdict.Broken broken ->
                new Result(false, "broken at " + broken.file() + ", line " + broken.line() + ": " + broken.why());
        };
    }

    /// Hands over the last records, oldest first, and with `follow` each one that comes until interrupted.
    public static void tail(Path path, int count, boolean follow, Consumer<String> sink) throws InterruptedException {
        AuditReader reader = new AuditReader(new HomeDirectory(path).audit());
        if (follow) {
            reader.follow(count, sink);
        } else {
            reader.tail(count).forEach(sink);
        }
    }
}
