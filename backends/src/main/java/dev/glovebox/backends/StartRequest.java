package dev.glovebox.backends;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// A START line for the supervisor, field by field. Not thread-safe.
final class StartRequest {
    private final String id;
    private final StringBuilder line = new StringBuilder("START\t");

    private StartRequest(String id, String kind) {
        this.id = id;
        line.append(id);
        put("kind", kind);
    }

    /// A sandbox whose first process is the agent.
    static StartRequest jail(String id) {
        return new StartRequest(id, "jail");
    }

    /// What forks warm kernels into jails.
    static StartRequest zygote(String id) {
        return new StartRequest(id, "zygote");
    }

    /// A command that brings a sandbox of its own, or is one.
    static StartRequest command(String id) {
        return new StartRequest(id, "command");
    }

    StartRequest put(String key, String value) {
        line.append('\t').append(key).append('=').append(escaped(value));
        return this;
    }

    StartRequest put(String key, long value) {
        return put(key, Long.toString(value));
    }

    StartRequest bytes(String key, byte[] value) {
        return put(key, HexFormat.of().formatHex(value));
    }

    StartRequest text(String key, String value) {
        return bytes(key, value.getBytes(StandardCharsets.UTF_8));
    }

    StartRequest arguments(Iterable<String> arguments) {
        arguments.forEach(argument -> put("argument", argument));
        return this;
    }

    private static String escaped(String value) {
        return value.replace("%", "%25").replace("\t", "%09").replace("\n", "%0a");
    }

    String id() {
        return id;
    }

    String line() {
        return line.toString();
    }
}
