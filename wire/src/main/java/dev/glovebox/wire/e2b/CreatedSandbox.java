package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// The answer to creating a sandbox and to connecting to one.
///
/// @param clientID what E2B's first clients append to the id
/// @param envdVersion which abilities clients may count on
/// @param domain where its ports are; absent if the client's own setting holds
/// @param envdAccessToken proves that a caller may use it; absent if it asks for none
/// @param trafficAccessToken proves that a caller may use its ports
public record CreatedSandbox(
        String sandboxID,
        String templateID,
        @Nullable String alias,
        String clientID,
        String envdVersion,
        @Nullable String domain,
        @Nullable String envdAccessToken,
        @Nullable String trafficAccessToken) {
    /// Never the tokens.
    @Override
    public String toString() {
        return "CreatedSandbox[" + sandboxID + "]";
    }
}
