package dev.glovebox.core.egress;

import dev.glovebox.core.SandboxId;
import java.util.Optional;

/// Where the values of placeholders come from. Asked anew for each request, so that a secret that was changed
/// or revoked is so at once. Thread-safe; may block for a moment.
@FunctionalInterface
public interface SecretSource {
    /// No sandbox has any.
    SecretSource NONE = (sandbox, placeholder, host) -> Optional.empty();

    /// The value, if there is one that this sandbox may use and that is bound to this host; empty otherwise.
    /// The request is refused then.
    Optional<String> value(SandboxId sandbox, HeaderTemplate.Placeholder placeholder, HostName host);
}
