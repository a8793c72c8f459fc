package dev.glovebox.store;

import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.core.store.SecretStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Secrets in the database, sealed with a key that is not in it. Thread-safe.
final class SqliteSecrets implements SecretStore {
    private static final String COLUMNS = "tenant, name, hosts, key_id, sealed, updated_at";

    private final Database database;
    private final SecretKey key;

    SqliteSecrets(Database database, SecretKey key) {
        this.database = database;
        this.key = key;
    }

    @Override
    public void put(Secret secret, SecretValue value) {
        String sealed = key.seal(secret, value);
        database.write(connection -> {
            try (PreparedStatement upsert = connection.prepareStatement("insert into secret (" + COLUMNS
                    + ") values (?, ?, ?, ?, ?, ?) on conflict (tenant, name) do update set hosts = excluded.hosts,"
                    + " key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at")) {
                upsert.setString(1, secret.tenant().value());
                upsert.setString(2, secret.name().value());
                upsert.setString(3, SecretKey.hosts(secret));
                upsert.setString(4, key.id());
                upsert.setString(5, sealed);
                upsert.setLong(6, Position.micros(secret.updatedAt()));
                upsert.executeUpdate();
            }
            TenantBound.SECRETS.check(count(connection, secret.tenant()));
            return secret;
        });
    }

    private static long count(Connection connection, TenantId tenant) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select count(*) from secret where tenant = ?")) {
            select.setString(1, tenant.value());
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    @Override
    public List<Secret> list(TenantId tenant) {
        return database.read(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("select " + COLUMNS + " from secret where tenant = ? order by name")) {
                select.setString(1, tenant.value());
                List<Secret> secrets = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        secrets.add(secret(rows));
                    }
                }
                return secrets;
            }
        });
    }

    @Override
    public boolean remove(TenantId tenant, SecretName name) {
        return database.write(connection -> {
            try (PreparedStatement delete =
                    connection.prepareStatement("delete from secret where tenant = ? and name = ?")) {
                delete.setString(1, tenant.value());
                delete.setString(2, name.value());
                return delete.executeUpdate() > 0;
            }
        });
    }

    @Override
    public Optional<Opened> open(TenantId tenant, SecretName name) {
        return database.read(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("select " + COLUMNS + " from secret where tenant = ? and name = ?")) {
                select.setString(1, tenant.value());
                select.setString(2, name.value());
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return Optional.<Opened>empty();
                    }
                    Secret secret = secret(row);
                    return Optional.of(
                            new Opened(secret, key.open(secret, row.getString("key_id"), row.getString("sealed"))));
                }
            }
        });
    }

    private static Secret secret(ResultSet row) throws SQLException {
        return new Secret(
                new TenantId(row.getString("tenant")),
                new SecretName(row.getString("name")),
                Arrays.stream(row.getString("hosts").split(" ", -1))
                        .map(HostPattern::parse)
                        .toList(),
                Position.instant(row.getLong("updated_at")));
    }
}
