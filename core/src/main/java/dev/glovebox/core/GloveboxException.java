package dev.glovebox.core;

import org.jspecify.annotations.Nullable;

/// A caller's mistake or a refusal. The message is a sentence that names the value, the bound and the remedy; it is
/// shown to the caller as it stands, so it holds no secret and no bytes of a guest.
public final class GloveboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public GloveboxException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public GloveboxException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }

    /// Never null: every one is made with words.
    @Override
    public String getMessage() {
        return java.util.Objects.requireNonNullElse(super.getMessage(), "");
    }
}
