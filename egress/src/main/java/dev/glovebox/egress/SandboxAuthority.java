package dev.glovebox.egress;

import dev.glovebox.core.egress.HostName;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// The certificate authority of one sandbox: it vouches for hosts towards that sandbox, which trusts it, and
/// nobody else does. Its key never leaves the server. Thread-safe.
final class SandboxAuthority {
    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    /// Longer than any sandbox lives, paused time included; a client's clock may be behind.
    private static final Duration VALID = Duration.ofDays(397);

    private static final Duration CLOCK_SKEW = Duration.ofDays(1);
    private static final int HOSTS_KEPT_MAX = 64;
    private static final int SERIAL_BITS = 120;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final KeyPair hostKey;
    private final Clock clock;
    private final Map<HostName, SSLContext> contexts = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<HostName, SSLContext> eldest) {
            return size() > HOSTS_KEPT_MAX;
        }
    };

    private SandboxAuthority(PrivateKey key, X509Certificate certificate, Clock clock) throws GeneralSecurityException {
        this.key = key;
        this.certificate = certificate;
        this.clock = clock;
        hostKey = newKey();
    }

    /// A new one.
    static SandboxAuthority create(String label, Clock clock) {
        try {
            KeyPair pair = newKey();
            X500Name name = new X500Name("CN=Glovebox sandbox " + label);
            JcaX509v3CertificateBuilder builder = builder(name, name, pair, clock.instant());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
            return new SandboxAuthority(pair.getPrivate(), sign(builder, pair.getPrivate()), clock);
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("an authority for a sandbox could not be made", e);
        }
    }

    /// One that was kept with [#secret], for a sandbox that trusts it already.
    static SandboxAuthority restore(Secret secret, Clock clock) {
        try {
            PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(secret.key()));
            X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new java.io.ByteArrayInputStream(secret.certificate()));
            return new SandboxAuthority(key, certificate, clock);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the authority of a sandbox could not be read", e);
        }
    }

    /// What has to be kept of it, encrypted, where a sandbox outlives the server.
    record Secret(byte[] key, byte[] certificate) {
        /// Never the key.
        @Override
        public String toString() {
            return "Secret[]";
        }
    }

    Secret secret() {
        try {
            return new Secret(key.getEncoded(), certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The certificate that the sandbox has to trust, as PEM.
    String pem() {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(secret().certificate());
        return "-----BEGIN CERTIFICATE-----\n" + base64 + "\n-----END CERTIFICATE-----\n";
    }

    /// What speaks TLS in the name of a host; kept, as making it takes a millisecond.
    SSLContext contextOf(HostName host) {
        synchronized (contexts) {
            SSLContext known = contexts.get(host);
            if (known != null) {
                return known;
            }
        }
        SSLContext made = context(host);
        synchronized (contexts) {
            contexts.put(host, made);
        }
        return made;
    }

    private SSLContext context(HostName host) {
        try {
            X509Certificate leaf = leaf(host);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            char[] none = new char[0];
            store.setKeyEntry("host", hostKey.getPrivate(), none, new X509Certificate[] {leaf, certificate});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, none);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), new javax.net.ssl.TrustManager[0], RANDOM);
            return context;
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("a certificate for " + host + " could not be made", e);
        }
    }

    private X509Certificate leaf(HostName host)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        // The name stands in the alternative names only: a common name has room for 64 characters.
        X500Name issuer =
                X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        JcaX509v3CertificateBuilder builder = builder(issuer, new X500Name("CN=Glovebox"), hostKey, clock.instant());
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.dNSName, host.value())));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        builder.addExtension(
                Extension.authorityKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate));
        return sign(builder, key);
    }

    private static JcaX509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair pair, Instant now) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(VALID).minus(CLOCK_SKEW)),
                subject,
                pair.getPublic());
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
    }

    private static KeyPair newKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE), RANDOM);
        return generator.generateKeyPair();
    }
}
