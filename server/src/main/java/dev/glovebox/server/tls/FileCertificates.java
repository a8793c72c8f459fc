package dev.glovebox.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// A certificate and its key from files, which are read again when they have changed: whatever renews certificates only
/// has to replace them. What cannot be read then is passed over, and the one before goes on. Thread-safe.
final class FileCertificates implements CertificateSource {
    private static final System.Logger LOG = System.getLogger(FileCertificates.class.getName());

    /// How often the files are looked at.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    private final Path certificate;
    private final Path key;
    private final Clock clock;
    private KeyAndChain now;
    private List<FileTime> seen;
    private Instant looked;

    /// Reads them.
    ///
    /// @throws IllegalArgumentException if they cannot be read or do not belong together
    FileCertificates(Path certificate, Path key, Clock clock) {
        this.certificate = certificate;
        this.key = key;
        this.clock = clock;
        this.seen = times();
        this.now = read();
        this.looked = clock.instant();
    }

    @Override
    public synchronized KeyAndChain current() {
        Instant at = clock.instant();
        if (!at.isBefore(looked.plus(LOOK_AGAIN))) {
            looked = at;
            lookAgain();
        }
        return now;
    }

    private void lookAgain() {
        try {
            List<FileTime> times = times();
            if (!times.equals(seen)) {
                now = read();
                seen = times;
                LOG.log(System.Logger.Level.INFO, "the certificate in " + certificate + " was read again");
            }
        } catch (IllegalArgumentException e) {
            LOG.log(System.Logger.Level.WARNING, "the certificate before goes on: " + e.getMessage());
        }
    }

    private List<FileTime> times() {
        try {
            return List.of(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot look at " + certificate + " and " + key, e);
        }
    }

    private KeyAndChain read() {
        KeyAndChain read = new KeyAndChain(Pem.key(key), Pem.certificates(certificate));
        if (!belong(read.key(), read.certificate().getPublicKey())) {
            throw new IllegalArgumentException(
                    "the key in " + key + " is not that of the first certificate in " + certificate);
        }
        return read;
    }

    private static boolean belong(PrivateKey key, PublicKey publicKey) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update((byte) 1);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update((byte) 1);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }
}
