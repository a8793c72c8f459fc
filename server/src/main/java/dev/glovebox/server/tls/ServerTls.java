package dev.glovebox.server.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/// What a listener needs to speak TLS.
public final class ServerTls {
    private ServerTls() {}

    /// With certificates of the local authority.
    public static SSLContext local(LocalAuthority authority, Clock clock, SecureRandom random) {
        return context(new LocalCertificates(authority, clock), random);
    }

    /// With a certificate from files in PEM, and again when they have changed.
    ///
    /// @param certificate the server's own certificate first, then those that vouch for it
    /// @throws IllegalArgumentException if they cannot be read or do not belong together
    public static SSLContext ofFiles(Path certificate, Path key, Clock clock, SecureRandom random) {
        return context(new FileCertificates(certificate, key, clock), random);
    }

    private static SSLContext context(CertificateSource source, SecureRandom random) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new CurrentKeyManager(source)}, null, random);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK cannot speak TLS", e);
        }
    }
}
