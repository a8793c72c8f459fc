package dev.glovebox.cell;

import dev.glovebox.wire.agent.ProtocolException;

/// The rule of PING.
final class Pings {
    private static final int BYTES_MAX = 64;

    private Pings() {}

    /// What PONG carries.
    static byte[] answer(byte[] payload) {
        if (payload.length > BYTES_MAX) {
            throw new ProtocolException("a ping of " + payload.length + " bytes; the bound is " + BYTES_MAX);
        }
        return payload;
    }
}
