package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.store.AuditVerifier.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileAuditLogTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC);
    private static final long SMALL_SEGMENT = 4_000;

    @TempDir
    Path home;

    private Path directory() {
        return home.resolve("audit");
    }

    private FileAuditLog open() {
        return open(Limits.AUDIT_SEGMENT_BYTES_MAX);
    }

    private FileAuditLog open(long segmentBytesMax) {
        return open(segmentBytesMax, SegmentFile::new);
    }

    private FileAuditLog open(long segmentBytesMax, SegmentFile.Opener opener) {
        return FileAuditLog.open(
                new AuditChain.Options(directory(), new AuditKey(home), CLOCK, segmentBytesMax, opener));
    }

    private static AuditEvent event(String subject, Map<String, String> details) {
        Principal principal = new Principal(new TenantId("alice"), "e2b_1234", Principal.Role.TENANT);
        return new AuditEvent(
                CLOCK.instant(), AuditEvent.Kind.INTENT, 0, principal, "run", subject, new LinkedHashMap<>(details));
    }

    private static AuditEvent event(String subject) {
        return event(subject, Map.of("tier", "auto"));
    }

    private List<String> lines(int segment) throws IOException {
        return Files.readAllLines(AuditFormat.segment(directory(), segment));
    }

    private Verdict verify() {
        return AuditVerifier.verify(directory(), AuditKey.readPublic(home.resolve("audit-key.pub")));
    }

    private Verdict.Intact intact() {
        assertThat(verify()).isInstanceOf(Verdict.Intact.class);
        return (Verdict.Intact) verify();
    }

    private Verdict.Broken broken() {
        assertThat(verify()).isInstanceOf(Verdict.Broken.class);
        return (Verdict.Broken) verify();
    }

    private void appendBytes(String text) throws IOException {
        Files.writeString(AuditFormat.segment(directory(), 1), text, StandardOpenOption.APPEND);
    }

    private void writeSome(int count) {
        try (FileAuditLog log = open()) {
            for (int i = 0; i < count; i++) {
                log.append(event("i" + i));
            }
        }
    }

    @Test
    void writesTheFormatOfTheDocument() throws IOException {
        try (FileAuditLog log = open()) {
            assertThat(log.appendDurably(event("i1"))).isEqualTo(2);
        }
        assertThat(lines(1).getFirst())
                .startsWith(
                        "{\"seq\":1,\"at\":\"2026-11-30T12:00:00Z\",\"kind\":\"segment\",\"format\":1,\"segment\":1,"
                                + "\"prev\":\"" + "0".repeat(64) + "\",\"hash\":\"");
        String first = lines(1).getFirst();
        assertThat(lines(1).get(1))
                .startsWith("{\"seq\":2,\"at\":\"2026-11-30T12:00:00Z\",\"kind\":\"intent\",\"intent\":0,"
                        + "\"tenant\":\"alice\",\"credential\":\"e2b_1234\",\"role\":\"tenant\",\"verb\":\"run\","
                        + "\"subject\":\"i1\",\"details\":{\"tier\":\"auto\"},\"prev\":\""
                        + first.substring(first.length() - 66, first.length() - 2) + "\",\"hash\":\"");
    }

    @Test
    void goesOnWithTheChainWhenOpenedAgain() {
        writeSome(3);
        writeSome(3);
        assertThat(intact().records()).isEqualTo(7);
        assertThat(intact().lastSeq()).isEqualTo(7);
    }

    @Test
    void sealsFullSegmentsAndBeginsNewOnes() throws IOException {
        try (FileAuditLog log = open(SMALL_SEGMENT)) {
            for (int i = 0; i < 100; i++) {
                log.append(event("i" + i));
            }
        }
        Verdict.Intact intact = intact();
        assertThat(intact.seals()).isGreaterThan(5);
        assertThat(lines(1).getLast()).contains("\"kind\":\"seal\",\"segment\":1,\"firstSeq\":1,");
        assertThat(intact.records()).isEqualTo(101L + 2L * intact.seals());
    }

    @Test
    void keepsItsFilesToItsOwner() throws IOException {
        writeSome(1);
        assertThat(permissions(directory())).isEqualTo("rwx------");
        assertThat(permissions(AuditFormat.segment(directory(), 1))).isEqualTo("rw-------");
        assertThat(permissions(home.resolve("audit-key"))).isEqualTo("rw-------");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void escapesWhatWouldDoSomethingInATerminal() throws IOException {
        String hostile = "\u001b[2J\r\n\t\u007f\u0085\u009b\u2028\u2029\u202e\u2066\u200f\"\\é\uD83D\uDE00 \uD800 end";
        try (FileAuditLog log = open()) {
            log.append(event(hostile, Map.of("path", hostile, hostile, "x")));
        }
        String line = lines(1).get(1);
        assertThat(line.chars()).allMatch(c -> c >= 0x20 && c < 0x7f);
        assertThat(line)
                .contains("\"subject\":\"\\u001B[2J\\r\\n\\t\\u007F\\u0085\\u009B\\u2028\\u2029\\u202E\\u2066\\u200F"
                        + "\\\"\\\\\\u00E9\\uD83D\\uDE00 \\uD800 end\"");
        assertThat(intact().records()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u0001", "é"})
    void cutsARecordThatIsTooLongAndSaysSo(String character) throws IOException {
        Map<String, String> details = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            details.put("key" + i, character.repeat(3_000));
        }
        try (FileAuditLog log = open()) {
            log.append(event(character.repeat(100_000), details));
        }
        String line = lines(1).get(1);
        assertThat(line.length() + 1).isLessThanOrEqualTo(Limits.AUDIT_RECORD_BYTES_MAX);
        assertThat(line).contains("(cut, 3000 characters)", "(cut, 100000 characters)", "details are left out");
    }

    @Test
    void aRecordAtItsBoundIsWhole() throws IOException {
        try (FileAuditLog log = open()) {
            log.append(event("i1", Map.of("a", "x".repeat(15_800))));
        }
        assertThat(lines(1).get(1)).contains("x".repeat(15_800)).doesNotContain("cut");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"seq\":9,\"at\":\"2026", "\0\0\0\0"})
    void cutsOffARecordThatACrashLeftUnfinished(String rest) throws IOException {
        writeSome(3);
        appendBytes(rest);
        assertThat(intact().unfinishedBytes()).isEqualTo(rest.length());
        writeSome(1);
        assertThat(intact().records()).isEqualTo(6);
        assertThat(lines(1).get(4))
                .contains("\"kind\":\"notice\"", "\"verb\":\"audit.repaired\"", "\"bytes\":\"" + rest.length() + "\"");
    }

    @Test
    void repairsASegmentWhoseFirstRecordIsUnfinished() throws IOException {
        try (FileAuditLog log = open(SMALL_SEGMENT)) {
            while (!Files.exists(AuditFormat.segment(directory(), 2))) {
                log.append(event("i1"));
            }
        }
        Files.writeString(AuditFormat.segment(directory(), 2), "{\"seq\":");
        writeSome(1);
        Verdict.Intact intact = intact();
        assertThat(lines(2)).hasSize(3);
        assertThat(lines(2).get(1)).contains("audit.repaired");
        assertThat(intact.seals()).isEqualTo(1);
    }

    @Test
    void goesOnAfterACrashBetweenSealAndNextSegment() throws IOException {
        try (FileAuditLog log = open(SMALL_SEGMENT)) {
            while (!Files.exists(AuditFormat.segment(directory(), 2))) {
                log.append(event("i1"));
            }
        }
        Files.delete(AuditFormat.segment(directory(), 2));
        writeSome(1);
        assertThat(intact().seals()).isEqualTo(1);
        assertThat(lines(2)).hasSize(2);
    }

    @Test
    void refusesToOpenWhenTheLastRecordWasChanged() throws IOException {
        writeSome(3);
        Path file = AuditFormat.segment(directory(), 1);
        String changed = Files.readString(file).replace("\"subject\":\"i2\"", "\"subject\":\"i3\"");
        Files.writeString(file, changed);
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, this::open);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal)
                .hasMessageContainingAll(
                        "the audit log is damaged", file.toString(), "was changed", "left as it is", "audit verify");
        assertThat(Files.readString(file)).isEqualTo(changed);
    }

    @Test
    void refusesToOpenWhenASegmentIsMissing() throws IOException {
        try (FileAuditLog log = open(SMALL_SEGMENT)) {
            while (!Files.exists(AuditFormat.segment(directory(), 3))) {
                log.append(event("i1"));
            }
        }
        Files.delete(AuditFormat.segment(directory(), 2));
        assertThatThrownBy(this::open)
                .isInstanceOf(GloveboxException.class)
                .hasMessageContainingAll("audit-000002.jsonl", "it is missing");
        assertThat(broken().why()).contains("missing");
    }

    @Test
    void refusesToAppendWhenRecordsAreTakenAwayBehindItsBack() throws IOException {
        writeSome(3);
        try (FileAuditLog log = open()) {
            Files.writeString(AuditFormat.segment(directory(), 1), lines(1).getFirst() + "\n");
            GloveboxException refusal =
                    catchThrowableOfType(GloveboxException.class, () -> log.appendDurably(event("i9")));
            assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(refusal).hasMessageContaining("somebody took records away");
        }
    }

    @Test
    void twoLogsOfOneDirectoryShareOneChain() throws Exception {
        int each = 300;
        try (FileAuditLog server = open(SMALL_SEGMENT);
                FileAuditLog commandLine = open(SMALL_SEGMENT);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> last = new ArrayList<>();
            for (FileAuditLog log : List.of(server, commandLine, server, commandLine)) {
                last.add(threads.submit(() -> {
                    long number = 0;
                    for (int i = 0; i < each; i++) {
                        number = i % 10 == 0 ? log.appendDurably(event("i" + i)) : log.append(event("i" + i));
                    }
                    return number;
                }));
            }
            for (Future<Long> future : last) {
                assertThat(future.get()).isPositive();
            }
        }
        Verdict.Intact intact = intact();
        assertThat(intact.records()).isEqualTo(1 + 4L * each + 2L * intact.seals());
    }

    @Test
    void numbersAreUniqueAndTrue() throws Exception {
        List<Long> numbers = new ArrayList<>();
        try (FileAuditLog log = open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> futures = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String subject = "i" + i;
                futures.add(threads.submit(() -> {
                    long number = log.appendDurably(event(subject));
                    assertThat(lines(1).get((int) number - 1)).contains("\"subject\":\"" + subject + "\"");
                    return number;
                }));
            }
            for (Future<Long> future : futures) {
                numbers.add(future.get());
            }
        }
        assertThat(numbers).doesNotHaveDuplicates();
    }

    /// A disk that fills up in the middle of a record, and has room again later.
    private static final class FullDisk extends SegmentFile {
        static boolean full;

        FullDisk(AuditFormat.Segment segment) throws IOException {
            super(segment);
        }

        @Override
        void append(byte[] bytes, long position) throws IOException {
            if (full) {
                super.append(
                        new String(bytes, StandardCharsets.US_ASCII)
                                .substring(0, 10)
                                .getBytes(StandardCharsets.US_ASCII),
                        position);
                throw new IOException("No space left on device");
            }
            super.append(bytes, position);
        }
    }

    @Test
    void aFullDiskIsARefusalThatLeavesNothingBehind() throws IOException {
        try (FileAuditLog log = open(SMALL_SEGMENT, FullDisk::new)) {
            log.append(event("i1"));
            FullDisk.full = true;
            for (int i = 0; i < 3; i++) {
                GloveboxException refusal =
                        catchThrowableOfType(GloveboxException.class, () -> log.appendDurably(event("i2")));
                assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
                assertThat(refusal).hasMessageContaining("nothing may be done: No space left on device");
            }
            FullDisk.full = false;
            assertThat(intact().unfinishedBytes()).isZero();
            assertThat(log.appendDurably(event("i3"))).isEqualTo(3);
        }
        assertThat(intact().records()).isEqualTo(3);
        assertThat(Files.readString(AuditFormat.segment(directory(), 1))).doesNotContain("i2");
    }

    @Test
    void afterAFailedForceNothingIsAcknowledgedAnyMore() {
        class LostDisk extends SegmentFile {
            LostDisk(AuditFormat.Segment segment) throws IOException {
                super(segment);
            }

            @Override
            void force() throws IOException {
                throw new IOException("Input/output error");
            }
        }
        try (FileAuditLog log = open(SMALL_SEGMENT, LostDisk::new)) {
            assertThatThrownBy(() -> log.appendDurably(event("i1"))).hasMessageContaining("Input/output error");
            GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> log.append(event("i2")));
            assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
            assertThat(refusal).hasMessageContaining("mend the disk");
        }
    }

    @Test
    void anInterruptDoesNotShutTheLog() {
        try (FileAuditLog log = open()) {
            Thread.currentThread().interrupt();
            log.appendDurably(event("i1"));
            assertThat(Thread.interrupted()).isTrue();
            log.appendDurably(event("i2"));
        }
        assertThat(intact().records()).isEqualTo(3);
    }

    @Test
    void refusesAfterItsEndAndClosesTwice() {
        FileAuditLog log = open();
        log.close();
        log.close();
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> log.append(event("i1")));
        assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(refusal).hasMessageContaining("is closed");
    }

    @Test
    void refusesAPublicKeyWithoutItsPrivateHalf() throws IOException {
        writeSome(1);
        Files.delete(home.resolve("audit-key"));
        assertThatThrownBy(this::open).hasMessageContaining("bring the private key back from a backup");
    }

    @Test
    void makesThePublicFileAgainFromThePrivateOne() throws IOException {
        writeSome(1);
        String before = Files.readString(home.resolve("audit-key.pub"));
        Files.delete(home.resolve("audit-key.pub"));
        writeSome(1);
        assertThat(Files.readString(home.resolve("audit-key.pub"))).isEqualTo(before);
    }

    // ---- the verifier

    private void sealedLog() {
        try (FileAuditLog log = open(SMALL_SEGMENT)) {
            for (int i = 0; i < 30; i++) {
                log.append(event("i" + i));
            }
        }
    }

    @Test
    void everyChangedByteIsFound() throws IOException {
        sealedLog();
        assertThat(intact().seals()).isPositive();
        Path file = AuditFormat.segment(directory(), 1);
        byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < whole.length; i += 7) {
            byte[] changed = whole.clone();
            changed[i] ^= 1;
            Files.write(file, changed);
            assertThat(verify()).as("byte " + i).isInstanceOf(Verdict.Broken.class);
        }
    }

    @Test
    void everyMissingLineIsFound() throws IOException {
        sealedLog();
        Path file = AuditFormat.segment(directory(), 1);
        List<String> whole = lines(1);
        for (int i = 0; i < whole.size(); i++) {
            List<String> fewer = new ArrayList<>(whole);
            fewer.remove(i);
            Files.write(file, fewer);
            assertThat(verify()).as("line " + i).isInstanceOf(Verdict.Broken.class);
        }
    }

    @Test
    void namesFileLineAndReasonOfTheFirstFault() throws IOException {
        writeSome(5);
        Path file = AuditFormat.segment(directory(), 1);
        Files.writeString(file, Files.readString(file).replace("\"subject\":\"i2\"", "\"subject\":\"iX\""));
        assertThat(broken().file()).isEqualTo(file);
        assertThat(broken().line()).isEqualTo(4);
        assertThat(broken().why()).contains("changed after it was written");
    }

    @Test
    void aSealOfAnotherKeyIsFound() throws Exception {
        sealedLog();
        Verdict verdict = AuditVerifier.verify(
                directory(),
                KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPublic());
        assertThat(verdict).isInstanceOf(Verdict.Broken.class);
        assertThat(((Verdict.Broken) verdict).why()).contains("the seal was not signed with the key");
    }

    @Test
    void aRewrittenSegmentWithoutTheKeyIsFound() throws IOException {
        // What somebody can do who has the disk but not the key: write the whole chain anew, with a wrong seal.
        sealedLog();
        List<String> lines = lines(1);
        StringBuilder forged = new StringBuilder();
        String prev = "0".repeat(64);
        for (String line : lines) {
            String object = line.substring(0, line.length() - 75 - 74).replace("alice", "mallory") + ",\"prev\":\""
                    + prev + "\"}";
            byte[] bytes = object.getBytes(StandardCharsets.US_ASCII);
            prev = AuditFormat.hex(AuditFormat.sha256()
                    .digest(object.substring(0, object.length() - 1).getBytes(StandardCharsets.US_ASCII)));
            forged.append(new String(AuditFormat.finish(bytes, prev), StandardCharsets.US_ASCII));
        }
        Files.writeString(AuditFormat.segment(directory(), 1), forged);
        assertThat(broken().why()).contains("the seal's root is not that of the records");
    }

    @Test
    void verifiesWhatIsLeftWhenOldSegmentsAreArchived() throws IOException {
        sealedLog();
        long all = intact().records();
        Files.delete(AuditFormat.segment(directory(), 1));
        assertThat(intact().firstSeq()).isGreaterThan(1);
        assertThat(intact().records()).isLessThan(all);
        assertThat(intact().lastSeq()).isEqualTo(all);
        writeSome(1);
        assertThat(intact().lastSeq()).isEqualTo(all + 1);
    }

    @Test
    void anEmptyDirectoryIsNotAnIntactLog() throws IOException {
        writeSome(1);
        Files.delete(AuditFormat.segment(directory(), 1));
        assertThat(broken().why()).contains("there is no such file");
    }
}
