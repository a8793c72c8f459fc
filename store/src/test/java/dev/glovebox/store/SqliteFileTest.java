package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is particular to the store in a file; what every store does is in StoreConformance.
class SqliteFileTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path home;

    private Path file() {
        return home.resolve("glovebox.db");
    }

    private SqliteStore open() {
        return open(NOW);
    }

    private SqliteStore open(Instant now) {
        return SqliteStore.open(file(), Clock.fixed(now, ZoneOffset.UTC));
    }

    private void sql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        }
    }

    private static Sandbox sandbox(String suffix, SandboxState state) {
        return new Sandbox(
                new SandboxId("i" + "a".repeat(20 - suffix.length()) + suffix),
                TenantId.DEFAULT,
                Tier.WASM,
                "asked for by name",
                Language.PYTHON,
                "",
                state,
                NOW,
                NOW.plusSeconds(60),
                ResourceLimits.DEFAULT,
                Map.of("k", "v"));
    }

    private static final Sandbox RUNNING = sandbox("1", new SandboxState.Running(NOW));

    @Test
    void whatWasSavedIsThereAfterwards() {
        ApiKey key = new ApiKey("e2b_1", "f".repeat(64), TenantId.DEFAULT, Principal.Role.ADMIN, "label", NOW);
        try (SqliteStore store = open()) {
            store.save(RUNNING);
            store.add(key);
        }
        try (SqliteStore store = open()) {
            assertThat(store.find(RUNNING.id())).contains(RUNNING);
            assertThat(store.list()).containsExactly(key);
        }
    }

    @Test
    void whatWasSavedIsOnTheDiskWithoutAnEnd() throws IOException {
        try (SqliteStore store = open()) {
            store.save(RUNNING);
            // A copy of the files, as a crash would leave them.
            Path copy = Files.createDirectory(home.resolve("copy"));
            try (Stream<Path> files = Files.list(home)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(each, copy.resolve(each.getFileName()));
                }
            }
            try (SqliteStore after = SqliteStore.open(copy.resolve("glovebox.db"), Clock.systemUTC())) {
                assertThat(after.find(RUNNING.id())).contains(RUNNING);
            }
        }
    }

    @Test
    void nobodyElseCanReadItsFiles() throws IOException {
        try (SqliteStore store = open()) {
            store.save(RUNNING);
            try (Stream<Path> files = Files.list(home)) {
                List<Path> all = files.toList();
                assertThat(all)
                        .hasSizeGreaterThan(1)
                        .allSatisfy(
                                each -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                                        .as(each.toString())
                                        .isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void aDatabaseOfANewerVersionIsRefusedAndLeftAsItIs() throws SQLException {
        open().close();
        sql("insert into schema_version (version, script, applied_at) values (99, '099-future.sql', 0)");
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, this::open);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal)
                .hasMessageContainingAll("schema 99", "a newer version has written it", "Start that version");
    }

    @Test
    void aFileThatIsNoDatabaseIsRefused() throws IOException {
        Files.writeString(file(), "this is a text and no database, whatever its name says".repeat(100));
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, this::open);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal).hasMessageContaining("cannot be opened");
    }

    @Test
    void aDirectoryThatIsNotThereIsRefusedInWords() {
        GloveboxException refusal = catchThrowableOfType(
                GloveboxException.class,
                () -> SqliteStore.open(home.resolve("missing/glovebox.db"), Clock.systemUTC()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal).hasMessageContainingAll("cannot be opened", "missing/glovebox.db");
    }

    @Test
    void forgetsWhatHasBeenDeadForAMonth() {
        Sandbox old = sandbox("2", new SandboxState.Dead(StopReason.KILLED, NOW.minus(Duration.ofDays(31))));
        Sandbox recent = sandbox("3", new SandboxState.Dead(StopReason.KILLED, NOW.minus(Duration.ofDays(29))));
        try (SqliteStore store = open()) {
            store.save(old);
            store.save(recent);
            store.save(RUNNING);
        }
        try (SqliteStore store = open()) {
            assertThat(store.find(old.id())).isEmpty();
            assertThat(store.find(recent.id())).contains(recent);
            assertThat(store.find(RUNNING.id())).contains(RUNNING);
        }
    }

    @Test
    void twoProcessesWriteInTurn() {
        try (SqliteStore first = open();
                SqliteStore second = open()) {
            for (int i = 10; i < 30; i++) {
                Sandbox sandbox = sandbox(Integer.toString(i), new SandboxState.Running(NOW));
                (i % 2 == 0 ? first : second).save(sandbox);
                assertThat((i % 2 == 0 ? second : first).find(sandbox.id())).contains(sandbox);
            }
        }
    }

    @Test
    void aDatabaseThatSomebodyHoldsIsARefusal() throws SQLException {
        try (SqliteStore store = open();
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = other.createStatement()) {
            statement.executeUpdate("begin immediate");
            GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> store.save(RUNNING));
            assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
            assertThat(refusal).hasMessageContaining("cannot be used now");
            assertThat(store.find(RUNNING.id())).isEmpty();
            statement.executeUpdate("rollback");
            store.save(RUNNING);
            assertThat(store.find(RUNNING.id())).contains(RUNNING);
        }
    }

    @Test
    void anInterruptBreaksNothing() {
        try (SqliteStore store = open()) {
            Thread.currentThread().interrupt();
            store.save(RUNNING);
            assertThat(store.find(RUNNING.id())).contains(RUNNING);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void afterItsEndItRefuses() {
        SqliteStore store = open();
        store.close();
        store.close();
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> store.find(RUNNING.id()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
        GloveboxException onWrite = catchThrowableOfType(GloveboxException.class, () -> store.save(RUNNING));
        assertThat(onWrite.code()).isEqualTo(ErrorCode.OVERLOADED);
    }
}
