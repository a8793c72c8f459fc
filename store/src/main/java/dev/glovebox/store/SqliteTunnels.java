package dev.glovebox.store;

import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.store.TunnelStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Tunnels in the database. Thread-safe.
final class SqliteTunnels implements TunnelStore {
    private static final String COLUMNS = "name, host, port, tls, connections_max, bytes_max, idle_millis";

    private final Database database;

    SqliteTunnels(Database database) {
        this.database = database;
    }

    @Override
    public void put(TenantId tenant, Tunnel tunnel) {
        database.write(connection -> {
            try (PreparedStatement upsert = connection.prepareStatement("insert into tunnel (" + COLUMNS
                    + ", tenant) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant, name) do update set"
                    + " host = excluded.host, port = excluded.port, tls = excluded.tls,"
                    + " connections_max = excluded.connections_max, bytes_max = excluded.bytes_max,"
                    + " idle_millis = excluded.idle_millis")) {
                upsert.setString(1, tunnel.name().value());
                upsert.setString(2, tunnel.host());
                upsert.setInt(3, tunnel.port());
                upsert.setBoolean(4, tunnel.isTls());
                upsert.setInt(5, tunnel.connectionsMax());
                upsert.setLong(6, tunnel.bytesMax());
                upsert.setLong(7, tunnel.idleMax().toMillis());
                upsert.setString(8, tenant.value());
                upsert.executeUpdate();
            }
            TenantBound.TUNNELS.check(list(connection, tenant).size());
            return tunnel;
        });
    }

    @Override
    public List<Tunnel> list(TenantId tenant) {
        return database.read(connection -> list(connection, tenant));
    }

    private static List<Tunnel> list(Connection connection, TenantId tenant) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("select " + COLUMNS + " from tunnel where tenant = ? order by name")) {
            select.setString(1, tenant.value());
            List<Tunnel> tunnels = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    tunnels.add(new Tunnel(
                            new TunnelName(rows.getString(1)),
                            rows.getString(2),
                            rows.getInt(3),
                            rows.getBoolean(4),
                            rows.getInt(5),
                            rows.getLong(6),
                            Duration.ofMillis(rows.getLong(7))));
                }
            }
            return tunnels;
        }
    }

    @Override
    public boolean remove(TenantId tenant, TunnelName name) {
        return database.write(connection -> {
            try (PreparedStatement delete =
                    connection.prepareStatement("delete from tunnel where tenant = ? and name = ?")) {
                delete.setString(1, tenant.value());
                delete.setString(2, name.value());
                return delete.executeUpdate() > 0;
            }
        });
    }
}
