package dev.glovebox.core.egress;

/// The network of one sandbox. Thread-safe.
public interface SandboxNetwork extends AutoCloseable {
    /// Other rules, all at once: connections that they do not allow are cut before this returns, and none that began
    /// under the old ones slips through.
    ///
    /// @throws dev.glovebox.core.GloveboxException if they cannot be applied; then the old ones hold
    void replace(NetworkGrant grant);

    /// What happened so far.
    NetworkUsage usage();

    /// The certificate, as PEM, that programs in the sandbox have to trust where rules look at requests.
    String authorityPem();

    /// Ends everything. Idempotent.
    @Override
    void close();
}
