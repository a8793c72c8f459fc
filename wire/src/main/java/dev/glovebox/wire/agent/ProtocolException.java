package dev.glovebox.wire.agent;

/// The peer broke the protocol. The connection cannot go on. The message describes numbers, never the peer's bytes.
public final class ProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }

    /// Never null: every one is made with words.
    @Override
    public String getMessage() {
        return java.util.Objects.requireNonNullElse(super.getMessage(), "");
    }
}
