package dev.glovebox.server.tls;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/// Keys and certificates as text. Every refusal names the file and what is wrong with it, and nothing of what is in it.
final class Pem {
    private static final int LINE_CHARS = 64;

    private Pem() {}

    static String write(String type, byte[] der) {
        String body = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }

    /// The certificates in a file, in their order.
    static List<X509Certificate> certificates(Path file) {
        try (var in = Files.newInputStream(file)) {
            List<X509Certificate> found = new ArrayList<>();
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                found.add((X509Certificate) certificate);
            }
            if (!found.isEmpty()) {
                return found;
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " cannot be read as certificates in PEM", e);
        }
        throw new IllegalArgumentException(file + " holds no certificate in PEM");
    }

    /// The private key in a file: `PRIVATE KEY`, `EC PRIVATE KEY` or `RSA PRIVATE KEY`.
    static PrivateKey key(Path file) {
        try (PEMParser parser = new PEMParser(new StringReader(Files.readString(file, StandardCharsets.US_ASCII)))) {
            for (Object found = parser.readObject(); found != null; found = parser.readObject()) {
                JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
                if (found instanceof PrivateKeyInfo info) {
                    return converter.getPrivateKey(info);
                }
                if (found instanceof PEMKeyPair pair) {
                    return converter.getKeyPair(pair).getPrivate();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read as a private key in PEM", e);
        }
        throw new IllegalArgumentException(file + " holds no private key in PEM without a password");
    }
}
