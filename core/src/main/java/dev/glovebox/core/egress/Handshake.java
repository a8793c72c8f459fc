package dev.glovebox.core.egress;

import java.util.Optional;

/// What the first bytes of a connection say about where it wants to go.
public sealed interface Handshake {
    /// Nobody has looked yet.
    record NotRead() implements Handshake {}

    /// Nothing came in time, or the guest closed without a word.
    record Silent() implements Handshake {}

    /// A TLS ClientHello.
    ///
    /// @param name what it asks for (SNI); empty if it does not say
    /// @param isEncrypted whether the real name may be in an encrypted part that only the server can read (ECH)
    record Tls(Optional<HostName> name, boolean isEncrypted) implements Handshake {}

    /// A request of HTTP/1; its Host.
    record Http(HostName name) implements Handshake {}

    /// Neither, or broken.
    ///
    /// @param words what is wrong with it
    record Unreadable(String words) implements Handshake {}

    /// The name that is shown, if any.
    default Optional<HostName> shownName() {
        return switch (this) {
            case Tls tls -> tls.name();
            case Http http -> Optional.of(http.name());
            case NotRead _, Silent _, Unreadable _ -> Optional.empty();
        };
    }
}
