package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;

/// What happened to a sandbox: `GET /sandboxes/{id}/logs`. Times are RFC 3339.
public record SandboxLogs(List<Line> logs, List<Entry> logEntries) {

    /// One line.
    public record Line(String timestamp, String line) {}

    /// One entry.
    ///
    /// @param level `debug`, `info`, `warn` or `error`
    public record Entry(String timestamp, String level, String message, Map<String, String> fields) {}

    /// The same as `GET /v2/sandboxes/{id}/logs` answers it.
    public record Second(List<Entry> logs) {}
}
