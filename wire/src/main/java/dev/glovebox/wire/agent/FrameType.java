package dev.glovebox.wire.agent;

/// The types of frame. The number is what travels.
public enum FrameType {
    /// Agent to host, first frame on a connection: version, token, what it is.
    HELLO(1),
    /// Host to agent: the greeting is accepted.
    WELCOME(2),
    /// Host to agent: begin a request on a new channel; the frame's stream field is the [RequestKind].
    OPEN(3),
    /// Bytes of one stream of a channel; uses up credit.
    DATA(4),
    /// No more bytes on this stream of the channel.
    END(5),
    /// Grants the peer more bytes on one stream: u32.
    CREDIT(6),
    /// Agent to host: the request is over; fields say how. Nothing follows on the channel.
    CLOSE(7),
    /// Host to agent, on an open channel: signal, interrupt, resize.
    CONTROL(8),
    /// Host to agent: give the request up; the agent ends it and answers CLOSE.
    CANCEL(9),
    PING(10),
    PONG(11),
    /// The connection is over, with the reason in words.
    GOODBYE(12),
    /// As DATA, but the bytes lie in memory that both ends share: u32 where, u32 how many.
    SHARED(13);

    private static final FrameType[] BY_CODE = new FrameType[14];

    static {
        for (FrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;

    FrameType(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /// The type with this number.
    ///
    /// @throws ProtocolException if there is none
    public static FrameType ofCode(int code) {
        if (code < 1 || code >= BY_CODE.length) {
            throw new ProtocolException("frame type " + code + " does not exist");
        }
        return BY_CODE[code];
    }
}
