package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Turns what a guest writes to descriptor 4, one JSON document a line, into results and errors. A line that is
/// no document is passed over: the guest can write there what it likes, and harms only itself.
final class ResultLines {
    /// A result in base64, escaped, with its frame; longer lines are dropped.
    private static final int LINE_BYTES_MAX = 2 * Limits.RESULT_BYTES_MAX;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean tooLong;
    private @Nullable GuestStreams streams;
    private @Nullable String lastError;
    private @Nullable String lastErrorValue;

    /// Begins a run or an execution, or, with null, ends it.
    void use(@Nullable GuestStreams newStreams) {
        streams = newStreams;
        lastError = null;
        lastErrorValue = null;
        line.reset();
        tooLong = false;
    }

    /// The class of the last error of this run or execution, or null.
    @Nullable
    String lastError() {
        return lastError;
    }

    /// Its message.
    @Nullable
    String lastErrorValue() {
        return lastErrorValue;
    }

    void write(byte[] bytes, int offset, int length) {
        int start = offset;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n') {
                add(bytes, start, i - start);
                finishLine();
                start = i + 1;
            }
        }
        add(bytes, start, offset + length - start);
    }

    private void add(byte[] bytes, int offset, int length) {
        if (line.size() + length > LINE_BYTES_MAX) {
            tooLong = true;
            line.reset();
        }
        if (!tooLong) {
            line.write(bytes, offset, length);
        }
    }

    private void finishLine() {
        GuestStreams current = streams;
        if (!tooLong && current != null) {
            try {
                document(Json.read(line.toString(StandardCharsets.US_ASCII)), current);
            } catch (IllegalArgumentException _) {
                // No document of ours: the guest wrote to the descriptor itself.
            }
        }
        line.reset();
        tooLong = false;
    }

    private void document(Map<String, String> document, GuestStreams current) {
        switch (document.getOrDefault("type", "")) {
            case "result" ->
                current.result(new MimeBundle(
                        document.getOrDefault("main", "").equals("true"),
                        Json.read(document.getOrDefault("data", "{}"))));
            case "error" -> {
                String name = document.getOrDefault("name", "");
                lastError = name;
                lastErrorValue = document.getOrDefault("value", "");
                current.error(new ExecutionError(
                        name, document.getOrDefault("value", ""), document.getOrDefault("traceback", "")));
            }
            default -> {}
        }
    }
}
