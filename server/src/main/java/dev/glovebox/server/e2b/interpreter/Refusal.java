package dev.glovebox.server.e2b.interpreter;

/// A request that is answered with an error. The message is for the caller.
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String words;

    Refusal(int status, String words) {
        super(words);
        this.status = status;
        this.words = words;
    }

    int status() {
        return status;
    }

    String words() {
        return words;
    }
}
