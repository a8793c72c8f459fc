package dev.glovebox.server.auth;

import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds out who sends a request. Thread-safe.
@FunctionalInterface
public interface Authenticator {
    /// The administrator who sits at the machine: whoever can open the Unix-domain socket, which only its owner
    /// can.
    Principal LOCAL = new Principal(TenantId.DEFAULT, "local", Principal.Role.ADMIN);

    /// The principal that the credentials prove; empty if they prove nobody, whatever the reason.
    ///
    /// @param authorization the `Authorization` header
    /// @param apiKey the `X-API-KEY` header
    Optional<Principal> principal(@Nullable String authorization, @Nullable String apiKey);

    /// For a listener that only the local administrator can reach.
    static Authenticator local() {
        return (authorization, apiKey) -> Optional.of(LOCAL);
    }
}
