package dev.glovebox.store;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Page;
import dev.glovebox.core.Principal;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.store.KeyStore;
import dev.glovebox.core.store.SandboxStore;
import dev.glovebox.core.store.SecretStore;
import dev.glovebox.core.store.TunnelStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Sandboxes and keys in a SQLite file: the default of a server. Times are kept to the microsecond.
/// Thread-safe.
public final class SqliteStore implements SandboxStore, KeyStore, AutoCloseable {
    /// What has been dead for longer is forgotten at the next start; the audit log remembers it.
    private static final Duration DEAD_KEPT = Duration.ofDays(30);

    private static final String KEY_COLUMNS = "id, sha256, tenant, role, label, created_at";

    private final Database database;

    private SqliteStore(Database database) {
        this.database = database;
    }

    /// Opens the database in a file, makes it if it is missing, and brings it to this version's schema.
    ///
    /// @throws GloveboxException INTERNAL if it cannot be opened or a newer version has written it
    public static SqliteStore open(Path file, Clock clock) {
        Database database = new Database(file);
        try {
            long now = Position.micros(clock.instant());
            database.write(connection -> {
                Schema.bringUpToDate(connection, now);
                return forgetDead(connection, now - DEAD_KEPT.toNanos() / 1_000);
            });
            return new SqliteStore(database);
        } catch (RuntimeException | Error failure) {
            database.close();
            throw failure;
        }
    }

    /// Tenants' secrets in the same file, sealed with a key that is not in it.
    public SecretStore secrets(SecretKey key) {
        return new SqliteSecrets(database, key);
    }

    /// Tenants' tunnels in the same file.
    public TunnelStore tunnels() {
        return new SqliteTunnels(database);
    }

    private static int forgetDead(Connection connection, long before) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement("delete from sandbox where state = 'dead' and state_since < ?")) {
            delete.setLong(1, before);
            return delete.executeUpdate();
        }
    }

    @Override
    public void save(Sandbox sandbox) {
        database.write(connection -> {
            SandboxRows.save(connection, sandbox);
            return sandbox;
        });
    }

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return database.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement(SandboxRows.SELECT + " where id = ?")) {
                select.setString(1, id.value());
                return SandboxRows.readAll(connection, select).stream().findFirst();
            }
        });
    }

    @Override
    public Page<Sandbox> list(TenantId tenant, Map<String, String> metadata, int pageSize, Optional<String> cursor) {
        checkPage(metadata, pageSize);
        Optional<Position> after = cursor.map(Position::ofCursor);
        List<Map.Entry<String, String>> pairs = List.copyOf(metadata.entrySet());
        String sql = SandboxRows.SELECT
                + " where tenant = ? and state <> 'dead'"
                + (after.isPresent() ? " and (created_at, id) < (?, ?)" : "")
                + (" and exists (select 1 from sandbox_metadata m"
                                + " where m.sandbox_id = sandbox.id and m.name = ? and m.content = ?)")
                        .repeat(pairs.size())
                + " order by created_at desc, id desc limit ?";
        List<Sandbox> found = database.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                int at = 1;
                select.setString(at++, tenant.value());
                if (after.isPresent()) {
                    select.setLong(at++, after.get().createdMicros());
                    select.setString(at++, after.get().id());
                }
                for (Map.Entry<String, String> pair : pairs) {
                    select.setString(at++, pair.getKey());
                    select.setString(at++, pair.getValue());
                }
                select.setInt(at, pageSize + 1);
                return SandboxRows.readAll(connection, select);
            }
        });
        return page(found, pageSize);
    }

    static void checkPage(Map<String, String> metadata, int pageSize) {
        if (pageSize < 1 || pageSize > Limits.PAGE_SIZE_MAX || metadata.size() > Limits.METADATA_ENTRIES_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a page has 1 to " + Limits.PAGE_SIZE_MAX + " entries and is asked for with at most "
                            + Limits.METADATA_ENTRIES_MAX + " metadata entries");
        }
    }

    /// A page of what was found; one more than fits says that there is a next.
    static Page<Sandbox> page(List<Sandbox> found, int pageSize) {
        if (found.size() <= pageSize) {
            return new Page<>(found, Optional.empty());
        }
        List<Sandbox> items = found.subList(0, pageSize);
        return new Page<>(items, Optional.of(Position.of(items.getLast()).cursor()));
    }

    @Override
    public List<Sandbox> alive() {
        return database.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    SandboxRows.SELECT + " where state <> 'dead' order by created_at, id")) {
                return SandboxRows.readAll(connection, select);
            }
        });
    }

    @Override
    public void add(ApiKey key) {
        database.write(connection -> {
            try (PreparedStatement insert = connection.prepareStatement(
                    "insert into api_key (" + KEY_COLUMNS + ") values (?, ?, ?, ?, ?, ?) on conflict do nothing")) {
                insert.setString(1, key.id());
                insert.setString(2, key.sha256());
                insert.setString(3, key.tenant().value());
                insert.setString(4, key.role().name().toLowerCase(Locale.ROOT));
                insert.setString(5, key.label());
                insert.setLong(6, Position.micros(key.createdAt()));
                if (insert.executeUpdate() == 0) {
                    throw keyExists(key);
                }
                return key;
            }
        });
    }

    static GloveboxException keyExists(ApiKey key) {
        return new GloveboxException(
                ErrorCode.ALREADY_EXISTS, "there is a key with the id " + key.id() + " already: make another");
    }

    @Override
    public Optional<ApiKey> findByHash(String sha256) {
        return database.read(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("select " + KEY_COLUMNS + " from api_key where sha256 = ?")) {
                select.setString(1, sha256);
                return keys(select).stream().findFirst();
            }
        });
    }

    @Override
    public List<ApiKey> list() {
        return database.read(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("select " + KEY_COLUMNS + " from api_key order by created_at, id")) {
                return keys(select);
            }
        });
    }

    private static List<ApiKey> keys(PreparedStatement select) throws SQLException {
        List<ApiKey> keys = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                keys.add(new ApiKey(
                        rows.getString(1),
                        rows.getString(2),
                        new TenantId(rows.getString(3)),
                        Principal.Role.valueOf(rows.getString(4).toUpperCase(Locale.ROOT)),
                        rows.getString(5),
                        Position.instant(rows.getLong(6))));
            }
        }
        return keys;
    }

    @Override
    public boolean remove(String id) {
        return database.write(connection -> {
            try (PreparedStatement delete = connection.prepareStatement("delete from api_key where id = ?")) {
                delete.setString(1, id);
                return delete.executeUpdate() > 0;
            }
        });
    }

    /// Waits for what is under way. Idempotent.
    @Override
    public void close() {
        database.close();
    }
}
