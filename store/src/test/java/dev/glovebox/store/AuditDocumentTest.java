package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page that says how to verify a log without us is true: its script runs, and finds what it must find.
class AuditDocumentTest {
    @TempDir
    Path home;

    private List<AuditFormat.Segment> segments = List.of();

    @BeforeEach
    void writeALog() throws IOException {
        try (FileAuditLog log = FileAuditLog.open(new AuditChain.Options(
                home.resolve("audit"), new AuditKey(home), Clock.systemUTC(), 5_000, SegmentFile::new))) {
            for (int i = 0; i < 40; i++) {
                Principal principal = new Principal(TenantId.DEFAULT, "local", Principal.Role.ADMIN);
                log.append(new AuditEvent(
                        Clock.systemUTC().instant(),
                        AuditEvent.Kind.INTENT,
                        0,
                        principal,
                        "run",
                        "ünïcode \u001b[2J \"quoted\"",
                        new LinkedHashMap<>(Map.of("number", Integer.toString(i)))));
            }
        }
        segments = AuditFormat.segments(home.resolve("audit"));
        String page = Files.readString(Path.of(System.getProperty("glovebox.root", "."), "docs", "audit-log.md"));
        int begin = page.indexOf("```python\n") + "```python\n".length();
        Files.writeString(home.resolve("verify.py"), page.substring(begin, page.indexOf("```", begin)));
    }

    private record Said(int status, String text) {}

    private Said run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), text);
    }

    private Said verify() throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("python3", home.resolve("verify.py").toString()));
        segments.forEach(segment -> command.add(segment.path().toString()));
        return run(command.toArray(String[]::new));
    }

    @Test
    void theScriptFindsAGoodLogGood() throws Exception {
        assertThat(segments).hasSizeGreaterThan(2);
        AuditVerifier.Verdict verdict =
                AuditVerifier.verify(home.resolve("audit"), AuditKey.readPublic(home.resolve("audit-key.pub")));
        assertThat(verdict).isInstanceOf(AuditVerifier.Verdict.Intact.class);
        AuditVerifier.Verdict.Intact intact = (AuditVerifier.Verdict.Intact) verdict;
        assertThat(verify()).isEqualTo(new Said(0, "intact up to " + intact.lastSeq() + " " + intact.head() + "\n"));
    }

    @Test
    void theScriptFindsAChangedLogChanged() throws Exception {
        Path first = segments.getFirst().path();
        Files.writeString(first, Files.readString(first).replace("\"number\":\"3\"", "\"number\":\"4\""));
        assertThat(verify().status()).isNotZero();
        assertThat(verify().text()).contains("audit-000001.jsonl:5 was changed");
    }

    @Test
    void opensslAcceptsTheSignatureOfASeal() throws Exception {
        assertThat(verify().status()).isZero();
        Path first = segments.getFirst().path();
        List<String> lines = Files.readAllLines(first);
        String signature = lines.getLast().replaceAll(".*\"signature\":\"([^\"]*)\".*", "$1");
        Path file = home.resolve("signature");
        Files.write(file, Base64.getDecoder().decode(signature));
        Said said = run(
                "openssl",
                "pkeyutl",
                "-verify",
                "-pubin",
                "-inkey",
                home.resolve("audit-key.pub").toString(),
                "-rawin",
                "-in",
                first + ".sealed",
                "-sigfile",
                file.toString());
        assertThat(said.text()).contains("Signature Verified Successfully");
        assertThat(said.status()).isZero();
    }
}
