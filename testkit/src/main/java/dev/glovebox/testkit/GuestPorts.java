package dev.glovebox.testkit;

/// The ports that [GuestTask#SERVE_PORTS] serves, each in another way.
public final class GuestPorts {
    /// Sends back what it gets, and closes when the peer has closed its sending half.
    public static final int ECHO = 7001;
    /// Says `first`, closes its sending half, hears to the end, and prints `heard ` and how many bytes that were.
    public static final int SPEAKS_FIRST = 7002;
    /// Hears to the end, says `heard ` and how many bytes that were, and closes.
    public static final int LISTENS_FIRST = 7003;
    /// Says `bye` and closes both halves at once.
    public static final int LEAVES = 7004;
    /// Waits for a byte and breaks the connection off: a reset.
    public static final int BREAKS = 7005;
    /// Nothing listens there.
    public static final int NOBODY = 7006;

    private GuestPorts() {}
}
