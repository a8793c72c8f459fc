package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// Brings a database to the schema that this version knows, one numbered script after the other, in one
/// transaction (ADR 0007 says why this is not Flyway).
final class Schema {
    /// In the order of their numbers, which begin with 1 and leave none out.
    private static final List<String> SCRIPTS =
            List.of("001-sandboxes-and-keys.sql", "002-templates.sql", "003-secrets-and-tunnels.sql");

    private Schema() {}

    /// Applies what is missing.
    ///
    /// @param connection within a transaction that excludes other writers
    /// @param now microseconds
    /// @throws GloveboxException INTERNAL if a newer version of Glovebox has written the database
    static void bringUpToDate(Connection connection, long now) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "create table if not exists schema_version ("
                            + "version integer not null primary key, script varchar(128) not null, applied_at bigint not null)");
        }
        int present = version(connection);
        if (present > SCRIPTS.size()) {
            throw new GloveboxException(
                    ErrorCode.INTERNAL,
                    "the database has schema " + present + ", this version of Glovebox knows schemas up to "
                            + SCRIPTS.size() + ": a newer version has written it. Start that version, or bring back"
                            + " a copy of the database from before");
        }
        for (int version = present + 1; version <= SCRIPTS.size(); version++) {
            apply(connection, version, now);
        }
    }

    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select coalesce(max(version), 0) from schema_version")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void apply(Connection connection, int version, long now) throws SQLException {
        String script = SCRIPTS.get(version - 1);
        try (Statement statement = connection.createStatement()) {
            for (String sql : text(script).split(";\\s*\\n", -1)) {
                if (!sql.isBlank()) {
                    statement.executeUpdate(sql);
                }
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into schema_version (version, script, applied_at) values (?, ?, ?)")) {
            insert.setInt(1, version);
            insert.setString(2, script);
            insert.setLong(3, now);
            insert.executeUpdate();
        }
    }

    private static String text(String script) {
        try (InputStream in = Schema.class.getResourceAsStream("schema/" + script)) {
            if (in == null) {
                throw new IllegalStateException("the script " + script + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new IllegalStateException("the script " + script + " cannot be read", failure);
        }
    }
}
