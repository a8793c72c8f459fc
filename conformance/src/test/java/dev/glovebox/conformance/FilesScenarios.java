package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.SandboxFiles;
import dev.glovebox.wire.api.FileResponse;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.SandboxRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Files of a sandbox, from outside.
abstract class FilesScenarios {
    private static final long LEASE_SECONDS = 120;

    private final Dialect dialect;
    private final Target target;
    private final Glovebox client;
    private final Sandbox sandbox;
    private final SandboxFiles files;

    FilesScenarios(Dialect dialect, Target target) {
        this.dialect = dialect;
        this.target = target;
        this.client = target.connect();
        this.sandbox = client.sandboxes().create(Asking.sandbox(dialect, LEASE_SECONDS));
        this.files = sandbox.files();
    }

    @AfterEach
    void close() {
        try {
            sandbox.kill();
        } finally {
            client.close();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void givesBackWhatWasWritten() {
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        FileResponse written = files.write("deep/er/data.bin", content);
        assertThat(written.path()).isEqualTo("/home/user/deep/er/data.bin");
        assertThat(written.type()).isEqualTo("file");
        assertThat(written.sizeBytes()).isEqualTo(content.length);
        assertThat(files.read("/home/user/deep/er/data.bin")).isEqualTo(content);
        ByteArrayOutputStream streamed = new ByteArrayOutputStream();
        files.read("deep/er/data.bin", streamed);
        assertThat(streamed.toByteArray()).isEqualTo(content);
        files.write("deep/er/data.bin", bytes("short"));
        assertThat(files.read("deep/er/data.bin")).asString().isEqualTo("short");
        files.write("empty", new byte[0]);
        assertThat(files.read("empty")).isEmpty();
    }

    @Test
    void looksAtAFile() {
        files.write("a.txt", bytes("four"));
        FileResponse stat = files.stat("a.txt");
        assertThat(stat.sizeBytes()).isEqualTo(4);
        assertThat(stat.mode()).isEqualTo(0644);
        assertThat(stat.linkTarget()).isEmpty();
        assertThat(Duration.between(Instant.parse(stat.modified()), Instant.now())
                        .abs())
                .isLessThan(Duration.ofMinutes(1));
        assertThat(files.stat("/home/user").type()).isEqualTo("directory");
    }

    @Test
    void listsADirectoryInOrderAndAsDeepAsAsked() {
        files.write("t/b/leaf", bytes("x"));
        files.write("t/a", bytes("x"));
        assertThat(paths(files.list("t", 1))).containsExactly("/home/user/t/a", "/home/user/t/b");
        assertThat(paths(files.list("t", 2)))
                .containsExactly("/home/user/t/a", "/home/user/t/b", "/home/user/t/b/leaf");
    }

    private static List<String> paths(List<FileResponse> entries) {
        return entries.stream().map(FileResponse::path).toList();
    }

    @Test
    void makesMovesAndRemoves() {
        assertThat(files.makeDirectory("one/two").type()).isEqualTo("directory");
        files.write("one/two/f", bytes("moved"));
        assertThat(files.move("one/two", "three").path()).isEqualTo("/home/user/three");
        assertThat(files.read("three/f")).asString().isEqualTo("moved");
        files.remove("three");
        Refusal.of(() -> files.stat("three")).is(404, "file_not_found", "/home/user/three");
    }

    @Test
    void refusesInWords() {
        files.write("f", bytes("x"));
        Refusal.of(() -> files.read("missing")).is(404, "file_not_found", "missing");
        Refusal.of(() -> files.remove("missing")).is(404, "file_not_found", "missing");
        Refusal.of(() -> files.read("/home/user")).is(422, "wrong_file_type", "/home/user");
        Refusal.of(() -> files.list("f", 1)).is(422, "wrong_file_type", "/home/user/f");
        Refusal.of(() -> files.write("f/below", bytes("x"))).is(422, "wrong_file_type");
        Refusal.of(() -> files.write("n".repeat(256), bytes("x"))).is(400, "invalid_argument", "255");
        Refusal.of(() -> files.write("p/".repeat(2100), bytes("x"))).is(400, "invalid_argument", "4096");
        Refusal.of(() -> files.read("nul\0")).is(400, "invalid_argument", "NUL");
    }

    @Test
    void noPathLeadsToTheHost() {
        for (String path : List.of(
                "/etc/passwd", "../../../../etc/passwd", "/proc/self/environ", "/home/user/../../root/.ssh/id_rsa")) {
            Refusal.of(() -> files.read(path)).is(404, "file_not_found");
        }
        assertThat(paths(files.list("/", 1))).doesNotContain("/proc", "/sys", "/root", "/var", "/boot");
    }

    @Test
    void theDiskHasABound() {
        LimitSet limits = Asking.disk(1L << 20, 10);
        Sandbox small = client.sandboxes()
                .create(new SandboxRequest(dialect.tier(), dialect.language(), LEASE_SECONDS, limits, null, null));
        try {
            SandboxFiles bounded = small.files();
            bounded.write("stays", bytes("here"));
            Refusal.of(() -> bounded.write("large", new byte[2 << 20])).is(507, "no_space");
            Refusal.of(() -> bounded.stat("large")).is(404, "file_not_found");
            assertThat(bounded.read("stays")).asString().isEqualTo("here");
            Refusal.of(() -> {
                        for (int i = 0; i < 20; i++) {
                            bounded.write("f" + i, new byte[0]);
                        }
                    })
                    .is(507, "no_space");
        } finally {
            small.kill();
        }
    }

    @Test
    void needsAPath() {
        try (Raw raw = new Raw(target)) {
            Raw.Answer answer = raw.send("GET", "/v1/sandboxes/" + sandbox.id() + "/files", "");
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.problem().detail()).contains("'path'", "missing");
        }
    }
}
