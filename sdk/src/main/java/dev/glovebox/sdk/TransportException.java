package dev.glovebox.sdk;

import org.jspecify.annotations.Nullable;

/// The server could not be reached, went away, or does not speak the protocol.
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TransportException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
