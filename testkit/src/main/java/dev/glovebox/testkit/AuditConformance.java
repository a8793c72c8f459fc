package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.audit.AuditLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every audit log promises. A log's test extends this and says how one is opened and read.
public abstract class AuditConformance {
    private AuditLog log;

    /// A record as it can be read back.
    public record Entry(long number, String kind, String subject) {}

    /// A new, empty log.
    protected abstract AuditLog open() throws Exception;

    /// The records of events, in their order, as somebody reads them who did not write them.
    protected abstract List<Entry> read() throws Exception;

    @BeforeEach
    final void openLog() throws Exception {
        log = open();
    }

    @AfterEach
    final void closeLog() {
        log.close();
    }

    @Test
    void whatWasAppendedDurablyCanBeReadAtOnce() throws Exception {
        long number = log.appendDurably(Samples.intent("i1"));
        assertThat(read()).containsExactly(new Entry(number, "intent", "i1"));
    }

    @Test
    void whatWasAppendedCanBeReadAfterTheNextDurableOne() throws Exception {
        long first = log.append(Samples.intent("i1"));
        long second = log.appendDurably(Samples.event(AuditEvent.Kind.OUTCOME, "i2", Map.of()));
        assertThat(read()).containsExactly(new Entry(first, "intent", "i1"), new Entry(second, "outcome", "i2"));
    }

    @Test
    void numbersAscend() {
        long before = 0;
        for (int i = 0; i < 50; i++) {
            long number = i % 2 == 0 ? log.append(Samples.intent("i")) : log.appendDurably(Samples.intent("i"));
            assertThat(number).isGreaterThan(before);
            before = number;
        }
    }

    @Test
    void everyThreadsRecordIsThereUnderItsNumber() throws Exception {
        int each = 40;
        List<List<Entry>> written = Together.run(16, thread -> {
            List<Entry> mine = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                String subject = "t" + thread + "-" + i;
                mine.add(new Entry(log.appendDurably(Samples.intent(subject)), "intent", subject));
            }
            return mine;
        });
        List<Entry> read = read();
        assertThat(read).hasSize(16 * each);
        written.forEach(mine -> assertThat(read).containsSubsequence(mine));
    }

    @Test
    void everyKindIsKept() throws Exception {
        for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
            log.append(Samples.event(kind, kind.name(), Map.of("k", "v")));
        }
        log.close();
        assertThat(read()).extracting(Entry::kind).containsExactly("intent", "outcome", "refusal", "notice");
    }

    @Test
    void afterItsEndItRefusesAndKeepsWhatItHas() throws Exception {
        log.append(Samples.intent("i1"));
        log.close();
        log.close();
        refusal(() -> log.append(Samples.intent("i2"))).is(ErrorCode.OVERLOADED, "audit log");
        refusal(() -> log.appendDurably(Samples.intent("i2"))).is(ErrorCode.OVERLOADED, "audit log");
        assertThat(read()).extracting(Entry::subject).containsExactly("i1");
    }
}
