package dev.glovebox.store;

import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How a sandbox becomes a row and a row a sandbox.
final class SandboxRows {
    private static final String COLUMNS = "id, tenant, tier, tier_reason, language, state, state_since, stop_reason,"
            + " created_at, expires_at, wall_time_micros, cpu_time_micros, memory_bytes, output_bytes, disk_bytes,"
            + " file_count, template";

    static final String SELECT = "select " + COLUMNS + " from sandbox";

    private static final String UPSERT = "insert into sandbox (" + COLUMNS + ")"
            + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            + " on conflict (id) do update set tenant = excluded.tenant, tier = excluded.tier,"
            + " tier_reason = excluded.tier_reason, language = excluded.language, state = excluded.state,"
            + " state_since = excluded.state_since, stop_reason = excluded.stop_reason,"
            + " created_at = excluded.created_at, expires_at = excluded.expires_at,"
            + " wall_time_micros = excluded.wall_time_micros, cpu_time_micros = excluded.cpu_time_micros,"
            + " memory_bytes = excluded.memory_bytes, output_bytes = excluded.output_bytes,"
            + " disk_bytes = excluded.disk_bytes, file_count = excluded.file_count, template = excluded.template";

    private static final long NANOS_PER_MICRO = 1_000;

    private SandboxRows() {}

    static void save(Connection connection, Sandbox sandbox) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            upsert.setString(1, sandbox.id().value());
            upsert.setString(2, sandbox.tenant().value());
            upsert.setString(3, sandbox.tier().word());
            upsert.setString(4, sandbox.tierReason());
            upsert.setString(5, sandbox.language().word());
            bindState(upsert, 6, sandbox.state());
            upsert.setLong(9, Position.micros(sandbox.createdAt()));
            upsert.setLong(10, Position.micros(sandbox.expiresAt()));
            ResourceLimits limits = sandbox.limits();
            upsert.setLong(11, limits.wallTime().toNanos() / NANOS_PER_MICRO);
            upsert.setLong(12, limits.cpuTime().toNanos() / NANOS_PER_MICRO);
            upsert.setLong(13, limits.memoryBytes());
            upsert.setLong(14, limits.outputBytes());
            upsert.setLong(15, limits.diskBytes());
            upsert.setInt(16, limits.fileCount());
            upsert.setString(17, sandbox.template());
            upsert.executeUpdate();
        }
        saveMetadata(connection, sandbox);
    }

    private static void bindState(PreparedStatement upsert, int at, SandboxState state) throws SQLException {
        upsert.setString(at, state.word());
        Optional<Instant> since = since(state);
        if (since.isPresent()) {
            upsert.setLong(at + 1, Position.micros(since.get()));
        } else {
            upsert.setNull(at + 1, Types.BIGINT);
        }
        Optional<StopReason> reason = reason(state);
        if (reason.isPresent()) {
            upsert.setString(at + 2, reason.get().name().toLowerCase(Locale.ROOT));
        } else {
            upsert.setNull(at + 2, Types.VARCHAR);
        }
    }

    private static Optional<Instant> since(SandboxState state) {
        return switch (state) {
            case SandboxState.Running running -> Optional.of(running.since());
            case SandboxState.Paused paused -> Optional.of(paused.since());
            case SandboxState.Dead dead -> Optional.of(dead.since());
            case SandboxState.Creating _, SandboxState.Pausing _, SandboxState.Resuming _, SandboxState.Killing _ ->
                Optional.empty();
        };
    }

    private static Optional<StopReason> reason(SandboxState state) {
        return switch (state) {
            case SandboxState.Killing killing -> Optional.of(killing.reason());
            case SandboxState.Dead dead -> Optional.of(dead.reason());
            case SandboxState.Creating _,
                    SandboxState.Running _,
                    SandboxState.Pausing _,
                    SandboxState.Paused _,
                    SandboxState.Resuming _ -> Optional.empty();
        };
    }

    private static void saveMetadata(Connection connection, Sandbox sandbox) throws SQLException {
        String id = sandbox.id().value();
        if (metadata(connection, id).equals(sandbox.metadata())) {
            return;
        }
        try (PreparedStatement delete =
                connection.prepareStatement("delete from sandbox_metadata where sandbox_id = ?")) {
            delete.setString(1, id);
            delete.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into sandbox_metadata (sandbox_id, name, content) values (?, ?, ?)")) {
            for (Map.Entry<String, String> entry : sandbox.metadata().entrySet()) {
                insert.setString(1, id);
                insert.setString(2, entry.getKey());
                insert.setString(3, entry.getValue());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static Map<String, String> metadata(Connection connection, String id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("select name, content from sandbox_metadata where sandbox_id = ?")) {
            select.setString(1, id);
            Map<String, String> metadata = new HashMap<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    metadata.put(rows.getString(1), rows.getString(2));
                }
            }
            return metadata;
        }
    }

    /// All sandboxes that a statement over [#SELECT] finds.
    static List<Sandbox> readAll(Connection connection, PreparedStatement select) throws SQLException {
        List<Sandbox> found = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found.add(read(connection, rows));
            }
        }
        return found;
    }

    private static Sandbox read(Connection connection, ResultSet row) throws SQLException {
        return new Sandbox(
                new SandboxId(row.getString("id")),
                new TenantId(row.getString("tenant")),
                Tier.ofWord(row.getString("tier")).orElseThrow(),
                row.getString("tier_reason"),
                Language.ofWord(row.getString("language")).orElseThrow(),
                row.getString("template"),
                state(row),
                Position.instant(row.getLong("created_at")),
                Position.instant(row.getLong("expires_at")),
                new ResourceLimits(
                        Duration.ofNanos(row.getLong("wall_time_micros") * NANOS_PER_MICRO),
                        Duration.ofNanos(row.getLong("cpu_time_micros") * NANOS_PER_MICRO),
                        row.getLong("memory_bytes"),
                        row.getLong("output_bytes"),
                        row.getLong("disk_bytes"),
                        row.getInt("file_count")),
                metadata(connection, row.getString("id")));
    }

    private static SandboxState state(ResultSet row) throws SQLException {
        String word = row.getString("state");
        return switch (word) {
            case "creating" -> new SandboxState.Creating();
            case "running" -> new SandboxState.Running(Position.instant(row.getLong("state_since")));
            case "pausing" -> new SandboxState.Pausing();
            case "paused" -> new SandboxState.Paused(Position.instant(row.getLong("state_since")));
            case "resuming" -> new SandboxState.Resuming();
            case "killing" -> new SandboxState.Killing(stopReason(row));
            case "dead" -> new SandboxState.Dead(stopReason(row), Position.instant(row.getLong("state_since")));
            default -> throw new IllegalStateException("a sandbox has the unknown state " + word);
        };
    }

    private static StopReason stopReason(ResultSet row) throws SQLException {
        return StopReason.valueOf(row.getString("stop_reason").toUpperCase(Locale.ROOT));
    }
}
