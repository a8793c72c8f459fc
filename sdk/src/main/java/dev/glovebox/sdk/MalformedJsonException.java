package dev.glovebox.sdk;

/// Text that is not the JSON of the record that was expected. The message is a sentence that names the field.
public final class MalformedJsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedJsonException(String message) {
        super(message);
    }
}
