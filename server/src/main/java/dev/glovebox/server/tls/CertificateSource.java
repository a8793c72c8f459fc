package dev.glovebox.server.tls;

/// Where a server's certificate comes from. Thread-safe.
@FunctionalInterface
interface CertificateSource {
    /// The one that is good now. Asked at each handshake, so it must be quick.
    KeyAndChain current();
}
