package dev.glovebox.core;

/// The size of a terminal, in characters.
public record TerminalSize(int columns, int rows) {
    public TerminalSize {
        check("columns", columns);
        check("rows", rows);
    }

    private static void check(String what, int number) {
        if (number < 1 || number > Limits.TERMINAL_SIZE_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a terminal with " + number + " " + what + " is outside 1.." + Limits.TERMINAL_SIZE_MAX);
        }
    }
}
