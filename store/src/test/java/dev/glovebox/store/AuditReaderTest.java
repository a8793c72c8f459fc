package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditReaderTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC);

    @TempDir
    Path home;

    private FileAuditLog open() {
        return FileAuditLog.open(
                new AuditChain.Options(home.resolve("audit"), new AuditKey(home), CLOCK, 30_000, SegmentFile::new));
    }

    private AuditReader reader() {
        return new AuditReader(home.resolve("audit"));
    }

    private static AuditEvent event(int number) {
        // Lines of very different lengths, so that they fall across the reader's windows.
        Map<String, String> details = Map.of("x", "y".repeat(number * 997 % 9_000));
        Principal principal = new Principal(TenantId.DEFAULT, "local", Principal.Role.ADMIN);
        return new AuditEvent(
                CLOCK.instant(), AuditEvent.Kind.INTENT, 0, principal, "run", "", new LinkedHashMap<>(details));
    }

    private List<String> write(int count) throws Exception {
        try (FileAuditLog log = open()) {
            for (int i = 0; i < count; i++) {
                log.append(event(i));
            }
        }
        List<String> all = new ArrayList<>();
        for (AuditFormat.Segment segment : AuditFormat.segments(home.resolve("audit"))) {
            all.addAll(Files.readAllLines(segment.path()));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 50, 119, 100_000})
    void tailIsTheEndOfTheWhole(int count) throws Exception {
        List<String> all = write(100);
        assertThat(AuditFormat.segments(home.resolve("audit"))).hasSizeGreaterThan(5);
        assertThat(reader().tail(count)).isEqualTo(all.subList(Math.max(0, all.size() - count), all.size()));
    }

    @Test
    void tailLeavesOutWhatIsNotWhole() throws Exception {
        List<String> all = write(3);
        Files.writeString(
                AuditFormat.segment(home.resolve("audit"), 1), "{\"seq\":", java.nio.file.StandardOpenOption.APPEND);
        assertThat(reader().tail(10)).isEqualTo(all);
    }

    @Test
    void followSeesEveryRecordOfEverySegmentOnce() throws Exception {
        write(5);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch last = new CountDownLatch(1);
        Thread follower = Thread.ofVirtual().start(() -> {
            try {
                reader().follow(2, line -> {
                    seen.add(line);
                    if (line.contains("\"verb\":\"run\"")
                            && line.contains("\"x\":\"" + "y".repeat(59 * 997 % 9_000) + "\"")) {
                        last.countDown();
                    }
                });
            } catch (InterruptedException _) {
                // The test is over.
            }
        });
        try (FileAuditLog log = open()) {
            for (int i = 0; i < 60; i++) {
                log.append(event(i));
            }
            assertThat(last.await(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            follower.interrupt();
            follower.join();
        }
        List<String> all = write(0);
        int first = all.indexOf(seen.getFirst());
        assertThat(seen).isEqualTo(all.subList(first, first + seen.size()));
        assertThat(first + seen.size()).isEqualTo(all.size());
    }
}
