package dev.glovebox.server.e2b.envd;

import java.util.Locale;
import java.util.Map;

/// As what a file of a sandbox is sent. Only what a browser shows without running anything of it has a name of its own.
final class MediaTypes {
    private static final String BYTES = "application/octet-stream";
    private static final String TEXT = "text/plain; charset=utf-8";

    private static final Map<String, String> BY_EXTENSION = Map.ofEntries(
            Map.entry("txt", TEXT),
            Map.entry("log", TEXT),
            Map.entry("md", TEXT),
            Map.entry("csv", "text/csv; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("png", "image/png"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("gif", "image/gif"),
            Map.entry("webp", "image/webp"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("mp3", "audio/mpeg"),
            Map.entry("wav", "audio/wav"),
            Map.entry("mp4", "video/mp4"),
            Map.entry("webm", "video/webm"));

    private MediaTypes() {}

    static String ofFileName(String name) {
        int dot = name.lastIndexOf('.');
        return dot < 0
                ? BYTES
                : BY_EXTENSION.getOrDefault(name.substring(dot + 1).toLowerCase(Locale.ROOT), BYTES);
    }
}
