package dev.glovebox.cli;

import java.io.IOException;

/// Whoever read our output does not any more: nothing is left to do.
final class BrokenPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPipeException(IOException cause) {
        super(cause);
    }
}
