package dev.glovebox.wire.agent;

/// What an OPEN frame asks for. The number is what travels. Which fields each has is in `docs/agent-protocol.md`.
public enum RequestKind {
    PROCESS(1),
    STAT(2),
    LIST(3),
    READ(4),
    WRITE(5),
    MAKE_DIRECTORY(6),
    MOVE(7),
    REMOVE(8),
    WATCH(9),
    CONNECT(10),
    CONTEXT_OPEN(11),
    EXECUTE(12),
    CONTEXT_CLOSE(13),
    METRICS(14),
    /// At claim: environment, limits, quotas, clock and entropy of the sandbox behind this connection.
    CONFIGURE(15),
    FREEZE(16),
    THAW(17),
    /// To a cell, on its own connection: connect once more, with this token, and be a sandbox there.
    SPAWN(18),
    /// To a cell: from here on the sandbox may ask for connections.
    NETWORK(19),
    /// To a cell: a connection that it asked for, or the refusal of it.
    OUTBOUND(20);

    private static final RequestKind[] BY_CODE = new RequestKind[21];

    static {
        for (RequestKind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;

    RequestKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /// The kind with this number.
    ///
    /// @throws ProtocolException if there is none
    public static RequestKind ofCode(int code) {
        if (code < 1 || code >= BY_CODE.length) {
            throw new ProtocolException("request kind " + code + " does not exist");
        }
        return BY_CODE[code];
    }
}
