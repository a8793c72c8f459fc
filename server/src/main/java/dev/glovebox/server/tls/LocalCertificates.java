package dev.glovebox.server.tls;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/// Certificates of the local authority. The key of each is in memory only; a server that runs long enough gets a new
/// one before the old is over. Thread-safe.
final class LocalCertificates implements CertificateSource {
    private static final Duration RENEWED_BEFORE = Duration.ofDays(30);

    private final LocalAuthority authority;
    private final Clock clock;
    private KeyAndChain now;

    LocalCertificates(LocalAuthority authority, Clock clock) {
        this.authority = authority;
        this.clock = clock;
        this.now = authority.issue();
    }

    @Override
    public synchronized KeyAndChain current() {
        Instant end = now.certificate().getNotAfter().toInstant();
        if (clock.instant().isAfter(end.minus(RENEWED_BEFORE))) {
            now = authority.issue();
        }
        return now;
    }
}
