package dev.glovebox.cli;

import dev.glovebox.sdk.OutputListener;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.RichResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Shows a guest's output as it comes: its streams on ours, results as text on standard output and, if asked,
/// all of their forms as files.
final class GuestOutput implements OutputListener {
    private static final Map<String, String> EXTENSIONS = Map.of(
            "text/plain", "txt",
            "text/html", "html",
            "text/markdown", "md",
            "text/latex", "tex",
            "application/json", "json",
            "image/png", "png",
            "image/jpeg", "jpg",
            "image/svg+xml", "svg",
            "application/pdf", "pdf");

    private static final Pattern JSON = Pattern.compile("application/(?:[a-z0-9.-]{0,64}\\.)?([a-z0-9-]{1,32})\\+json");

    private final GuestStream stdout = GuestStream.stdout();
    private final GuestStream stderr = GuestStream.stderr();
    private final @Nullable Path results;
    private int resultCount;

    /// @param results where the forms of results go as files; null for nowhere
    GuestOutput(@Nullable Path results) {
        this.results = results;
    }

    @Override
    public void stdout(byte[] bytes) {
        stdout.write(bytes);
    }

    @Override
    public void stderr(byte[] bytes) {
        stderr.write(bytes);
    }

    @Override
    public void result(RichResult result) {
        resultCount++;
        String text = result.data().get("text/plain");
        if (text != null) {
            stdout.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        }
        if (results != null) {
            result.data().forEach((type, content) -> save(results, type, content));
        }
    }

    /// By a guest's word for the type, so only of harmless characters.
    static String extension(String type) {
        Matcher json = JSON.matcher(type);
        return json.matches() ? json.group(1) + ".json" : EXTENSIONS.getOrDefault(type, "bin");
    }

    private void save(Path directory, String type, String content) {
        String extension = extension(type);
        boolean isBinary = (type.startsWith("image/") && !type.equals("image/svg+xml")) || type.endsWith("/pdf");
        Path file = directory.resolve("result-" + resultCount + "." + extension);
        try {
            Files.createDirectories(directory);
            Files.write(
                    file,
                    isBinary ? Base64.getMimeDecoder().decode(content) : content.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot save a result: " + e.getMessage(), e);
        }
    }

    /// An error that code in a context raised: programs print theirs themselves.
    void error(@Nullable CodeError error) {
        if (error != null && !error.traceback().isEmpty()) {
            stderr.write((error.traceback() + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /// Whether a person looks at standard error.
    boolean isWatched() {
        return stderr.isTerminal();
    }

    void finish() {
        stdout.finish();
        stderr.finish();
    }
}
