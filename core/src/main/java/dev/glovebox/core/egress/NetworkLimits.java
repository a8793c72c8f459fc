package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;

/// How much of the network a sandbox may use.
///
/// @param connections open at once
/// @param connectionsPerSecond on average; a burst may be four times that
/// @param bytesPerSecond in each direction; 0 is no bound
/// @param bytes in its whole life, both directions together; 0 is no bound
public record NetworkLimits(int connections, int connectionsPerSecond, long bytesPerSecond, long bytes) {
    public static final NetworkLimits DEFAULT =
            new NetworkLimits(Limits.EGRESS_CONNECTIONS_DEFAULT, Limits.EGRESS_CONNECTIONS_PER_SECOND_DEFAULT, 0, 0);

    public NetworkLimits {
        check("connections", connections, Limits.EGRESS_CONNECTIONS_MAX);
        check("connections per second", connectionsPerSecond, Limits.EGRESS_CONNECTIONS_PER_SECOND_MAX);
        if (bytesPerSecond < 0 || bytes < 0) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "the network's bytes and bytes per second are 0 (no bound) or more");
        }
    }

    private static void check(String what, int value, int most) {
        if (value < 1 || value > most) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "the network's " + what + ", " + value + ", are outside 1.." + most);
        }
    }
}
