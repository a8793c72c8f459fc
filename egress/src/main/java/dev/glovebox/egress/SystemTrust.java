package dev.glovebox.egress;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// Which certificates of hosts are good: those that the operator's system trusts, so that an authority of the
/// operator's own is installed once and for all. `SSL_CERT_FILE` names another list, as it does for OpenSSL.
public final class SystemTrust {
    private static final String VARIABLE = "SSL_CERT_FILE";
    /// Debian and Alpine; Fedora.
    private static final Path[] PLACES = {
        Path.of("/etc/ssl/certs/ca-certificates.crt"), Path.of("/etc/pki/tls/certs/ca-bundle.crt")
    };

    private static @Nullable String read;

    private SystemTrust() {}

    /// For connections that the proxy makes. Without any list the JDK's own holds.
    ///
    /// @throws IllegalStateException if the list cannot be read
    public static SSLContext context() {
        try {
            return pem().isEmpty()
                    ? SSLContext.getDefault()
                    : trusting(new ByteArrayInputStream(pem().getBytes(StandardCharsets.ISO_8859_1)));
        } catch (IOException | GeneralSecurityException failure) {
            throw unreadable(failure);
        }
    }

    /// The list itself, as it was when it was first asked for; empty if there is none.
    ///
    /// @throws IllegalStateException if it cannot be read
    static synchronized String pem() {
        if (read == null) {
            try {
                Optional<Path> list = list();
                read = list.isEmpty() ? "" : Files.readString(list.get(), StandardCharsets.ISO_8859_1);
            } catch (IOException failure) {
                throw unreadable(failure);
            }
        }
        return read;
    }

    private static IllegalStateException unreadable(Exception failure) {
        return new IllegalStateException(
                "the list of trusted authorities cannot be read (" + VARIABLE + " names another): "
                        + failure.getMessage(),
                failure);
    }

    private static Optional<Path> list() {
        String named = System.getenv(VARIABLE);
        if (named != null && !named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        for (Path place : PLACES) {
            if (Files.isReadable(place)) {
                return Optional.of(place);
            }
        }
        return Optional.empty();
    }

    private static SSLContext trusting(InputStream list) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(list)) {
            store.setCertificateEntry("authority-" + number, certificate);
            number++;
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
