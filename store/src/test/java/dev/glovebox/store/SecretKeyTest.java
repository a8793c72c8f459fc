package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.core.store.SecretStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a seal is worth, against who has the database but not the key.
class SecretKeyTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final TenantId ALICE = new TenantId("alice");
    private static final String VALUE = "ghp_0123456789-correct-horse";

    @TempDir
    Path home;

    private SqliteStore database() {
        return SqliteStore.open(home.resolve("glovebox.db"), Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private SecretKey key() {
        return SecretKey.open(home.resolve("secrets.key"), new SecureRandom());
    }

    private static Secret secret(String name) {
        return new Secret(ALICE, new SecretName(name), List.of(HostPattern.parse("api.example.com")), NOW);
    }

    private void put(String name, String value) {
        try (SqliteStore store = database()) {
            store.secrets(key()).put(secret(name), new SecretValue(value));
        }
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("glovebox.db"));
                Statement sql = connection.createStatement()) {
            assertThat(sql.executeUpdate(statement)).isPositive();
        }
    }

    private GloveboxException refusal() {
        try (SqliteStore store = database()) {
            SecretStore secrets = store.secrets(key());
            return catchThrowableOfType(GloveboxException.class, () -> secrets.open(ALICE, new SecretName("A")));
        }
    }

    @Test
    void isMadeForItsOwnersEyesOnlyAndKept() throws IOException {
        put("A", VALUE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("secrets.key"))))
                .isEqualTo("rw-------");
        assertThat(Files.size(home.resolve("secrets.key"))).isEqualTo(32);
        try (SqliteStore store = database()) {
            assertThat(store.secrets(key()).open(ALICE, new SecretName("A")))
                    .contains(new SecretStore.Opened(secret("A"), new SecretValue(VALUE)));
        }
    }

    @Test
    void noFileHoldsTheValue() throws IOException {
        put("A", VALUE);
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(VALUE);
            }
        }
    }

    @Test
    void theSameValueIsSealedDifferentlyEachTime() {
        SecretKey key = key();
        SecretValue value = new SecretValue(VALUE);
        assertThat(key.seal(secret("A"), value)).isNotEqualTo(key.seal(secret("A"), value));
    }

    @Test
    void anotherKeyIsToldFromADamagedRow() throws IOException {
        put("A", VALUE);
        Files.delete(home.resolve("secrets.key"));
        GloveboxException refusal = refusal();
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal).hasMessageContainingAll("secret A of tenant alice", "another key", "secrets.key", "backup");
        put("A", "again");
        try (SqliteStore store = database()) {
            assertThat(store.secrets(key()).open(ALICE, new SecretName("A"))).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hosts = 'evil.example'",
                "hosts = 'api.example.com *.evil.example'",
                "sealed = (select sealed from secret where name = 'B')",
                "sealed = 'AAAA'",
                "sealed = 'no base64!'",
                "sealed = substr(sealed, 1, 30) || iif(substr(sealed, 31, 1) = 'A', 'B', 'A') || substr(sealed, 32)",
            })
    void whatIsChangedInTheDatabaseDoesNotOpen(String change) throws SQLException {
        put("A", VALUE);
        put("B", "another value");
        sql("update secret set " + change + " where name = 'A'");
        GloveboxException refusal = refusal();
        assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(refusal).hasMessageContaining("was changed in the database").hasNoCause();
        assertThat(refusal.getMessage()).doesNotContain(VALUE);
    }

    @Test
    void anotherTenantsRowDoesNotOpen() throws SQLException {
        put("A", VALUE);
        sql("update secret set tenant = 'mallory' where name = 'A'");
        try (SqliteStore store = database()) {
            SecretStore secrets = store.secrets(key());
            assertThat(catchThrowableOfType(
                            GloveboxException.class, () -> secrets.open(new TenantId("mallory"), new SecretName("A"))))
                    .hasMessageContaining("was changed");
        }
    }

    @Test
    void aFileThatOthersCanReadOrOfAnotherLengthIsRefused() throws IOException {
        key();
        Path file = home.resolve("secrets.key");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(catchThrowableOfType(GloveboxException.class, this::key)).hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(file, "short");
        assertThat(catchThrowableOfType(GloveboxException.class, this::key))
                .hasMessageContainingAll("5 bytes instead of 32");
    }

    @Test
    void nothingShowsItself() {
        assertThat(new SecretValue(VALUE).toString()).doesNotContain(VALUE).contains("28 characters");
        assertThat(new SecretStore.Opened(secret("A"), new SecretValue(VALUE)).toString())
                .doesNotContain(VALUE);
        assertThat(key().toString()).matches("SecretKey\\[[0-9a-f]{16}]");
    }

    @Test
    void aDatabaseOfTheVersionBeforeIsBroughtUpToDate() throws SQLException {
        database().close();
        sql("delete from schema_version where version = 3");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("glovebox.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("drop table secret");
            statement.executeUpdate("drop table tunnel");
        }
        put("A", VALUE);
        try (SqliteStore store = database()) {
            assertThat(store.secrets(key()).list(ALICE)).containsExactly(secret("A"));
            assertThat(store.tunnels().list(ALICE)).isEmpty();
        }
    }
}
