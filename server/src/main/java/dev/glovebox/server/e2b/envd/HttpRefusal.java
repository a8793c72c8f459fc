package dev.glovebox.server.e2b.envd;

/// A request that is answered with an error of plain HTTP. The message is for the caller.
final class HttpRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String words;

    HttpRefusal(int status, String words) {
        super(words);
        this.status = status;
        this.words = words;
    }

    static HttpRefusal invalid(String words) {
        return new HttpRefusal(400, words);
    }

    static HttpRefusal unauthorized(String words) {
        return new HttpRefusal(401, words);
    }

    int status() {
        return status;
    }

    String words() {
        return words;
    }
}
