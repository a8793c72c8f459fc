package dev.glovebox.wire.agent;

/// The numbers that make the agent protocol: they are its encoding, so both ends must agree on them, and changing one
/// is a new [#VERSION].
public final class Protocol {
    private Protocol() {}

    public static final int VERSION = 1;

    /// Length, type, flags, stream, channel.
    public static final int HEADER_BYTES = 12;
    /// The largest payload of one frame. Small, so that one channel cannot hold the stream for long.
    public static final int PAYLOAD_BYTES_MAX = 64 * 1024;
    /// What either end may send on a new stream of a channel before it is granted more.
    public static final int INITIAL_CREDIT_BYTES = 256 * 1024;
    /// Credit is a sum that never exceeds this: a peer that grants more breaks the protocol.
    public static final int CREDIT_BYTES_MAX = 1 << 30;
    /// Memory that a host and its agent may share, in each direction; no credit is ever more than that where it is
    /// used.
    public static final int LANE_BYTES = 4 * 1024 * 1024;
    /// Channels open at once on one connection.
    public static final int CHANNELS_MAX = 1024;
    /// One record of a record stream (results), its length prefix not counted.
    public static final int RECORD_BYTES_MAX = 16 * 1024 * 1024;

    /// The channel of the connection itself: greeting, ping, goodbye.
    public static final int CONTROL_CHANNEL = 0;

    // Streams of a channel. Towards the agent:
    public static final int STDIN = 0;
    // From the agent:
    public static final int STDOUT = 1;
    public static final int STDERR = 2;
    /// Records: MIME bundles, errors, watch events, directory entries.
    public static final int RECORDS = 3;
    /// The content of a file, or the bytes of a connection, in either direction.
    public static final int CONTENT = 4;
    /// Streams are numbered below this.
    public static final int STREAMS_MAX = 5;
}
