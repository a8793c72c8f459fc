package dev.glovebox.cli;

import java.util.Locale;

/// Which language a file's name tells. The server knows it better, but it is not asked before a file is read.
final class Languages {
    private Languages() {}

    static String ofFileName(String name) {
        String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return switch (extension) {
            case "py" -> "python";
            case "js", "mjs", "cjs" -> "javascript";
            case "ts", "mts", "cts" -> "typescript";
            default ->
                throw new IllegalArgumentException(
                        "the name " + name + " does not tell its language: say which with --lang");
        };
    }
}
