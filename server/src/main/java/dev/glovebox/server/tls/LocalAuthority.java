package dev.glovebox.server.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certificate authority of this installation alone, made when it is first needed: its certificate in `ca.pem`, for
/// everybody, its key in `ca.key`, for the owner. It can vouch for the domains of this server and the names below them
/// and for nothing else, which the certificate says itself: a client that trusts it trusts nobody with its bank. Not
/// thread-safe among processes.
public final class LocalAuthority {
    private static final String NAME = "CN=Glovebox local authority";
    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    /// Whoever trusts it should not have to do so again.
    private static final Duration LIFE = Duration.ofDays(3650);
    /// The longest that browsers accept.
    static final Duration CERTIFICATE_LIFE = Duration.ofDays(397);
    /// Clocks of clients may be behind.
    private static final Duration EARLY = Duration.ofHours(1);

    private static final int SERIAL_BITS = 127;

    private final Set<String> domains;
    private final KeyAndChain authority;
    private final Clock clock;
    private final SecureRandom random;

    private LocalAuthority(Set<String> domains, KeyAndChain authority, Clock clock, SecureRandom random) {
        this.domains = domains;
        this.authority = authority;
        this.clock = clock;
        this.random = random;
    }

    /// The authority in a directory, made if there is none.
    ///
    /// @param domains without ports
    /// @throws IllegalStateException if the one that is there may not vouch for them all
    public static LocalAuthority open(Path directory, Set<String> domains, Clock clock, SecureRandom random) {
        try {
            if (!Files.exists(certificateFile(directory))) {
                make(directory, domains, clock, random);
            }
            KeyAndChain authority =
                    new KeyAndChain(Pem.key(keyFile(directory)), Pem.certificates(certificateFile(directory)));
            checkPermits(directory, authority.certificate(), domains);
            return new LocalAuthority(new TreeSet<>(domains), authority, clock, random);
        } catch (IOException e) {
            throw new UncheckedIOException("the local authority in " + directory + " cannot be used", e);
        } catch (GeneralSecurityException | OperatorException e) {
            throw new IllegalStateException("the local authority cannot be made", e);
        }
    }

    /// The certificate to trust.
    public static Path certificateFile(Path directory) {
        return directory.resolve("ca.pem");
    }

    private static Path keyFile(Path directory) {
        return directory.resolve("ca.key");
    }

    private static void make(Path directory, Set<String> domains, Clock clock, SecureRandom random)
            throws IOException, GeneralSecurityException, OperatorException {
        Files.createDirectories(directory);
        KeyPair pair = pair(random);
        X500Principal name = new X500Principal(NAME);
        JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
        X509v3CertificateBuilder builder = builder(name, name, pair, LIFE, clock, random)
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                .addExtension(Extension.nameConstraints, true, only(domains))
                .addExtension(
                        Extension.subjectKeyIdentifier,
                        false,
                        identifiers.createSubjectKeyIdentifier(pair.getPublic()));
        X509Certificate certificate = sign(builder, pair);
        writeNew(keyFile(directory), Pem.write("PRIVATE KEY", pair.getPrivate().getEncoded()), "rw-------");
        writeNew(certificateFile(directory), Pem.write("CERTIFICATE", certificate.getEncoded()), "rw-r--r--");
    }

    private static NameConstraints only(Set<String> domains) {
        return new NameConstraints(
                domains.stream()
                        .sorted()
                        .map(domain -> new GeneralSubtree(new GeneralName(GeneralName.dNSName, domain)))
                        .toArray(GeneralSubtree[]::new),
                null);
    }

    /// A key that is there without its certificate is of a start that broke off.
    private static void writeNew(Path file, String text, String permissions) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, text.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static void checkPermits(Path directory, X509Certificate authority, Set<String> domains) {
        byte[] extension = authority.getExtensionValue(Extension.nameConstraints.getId());
        Set<String> permitted = new TreeSet<>();
        if (extension != null) {
            NameConstraints constraints = NameConstraints.getInstance(
                    org.bouncycastle.asn1.ASN1OctetString.getInstance(extension).getOctets());
            for (GeneralSubtree subtree : constraints.getPermittedSubtrees()) {
                permitted.add(subtree.getBase().getName().toString());
            }
        }
        if (!permitted.containsAll(domains)) {
            throw new IllegalStateException("the local authority in " + directory + " vouches for "
                    + String.join(", ", permitted) + ", not for " + String.join(", ", new TreeSet<>(domains))
                    + ": remove the directory to have another made, and let clients trust that one");
        }
    }

    /// A new key with a certificate for the domains and every name right below them.
    KeyAndChain issue() {
        try {
            KeyPair pair = pair(random);
            List<GeneralName> names = new ArrayList<>();
            for (String domain : domains) {
                names.add(new GeneralName(GeneralName.dNSName, domain));
                names.add(new GeneralName(GeneralName.dNSName, "*." + domain));
            }
            X509Certificate issuer = authority.certificate();
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            X509v3CertificateBuilder builder = builder(
                            issuer.getSubjectX500Principal(),
                            new X500Principal("CN=" + domains.iterator().next()),
                            pair,
                            CERTIFICATE_LIFE,
                            clock,
                            random)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(
                            Extension.subjectAlternativeName,
                            false,
                            new GeneralNames(names.toArray(GeneralName[]::new)))
                    .addExtension(
                            Extension.authorityKeyIdentifier, false, identifiers.createAuthorityKeyIdentifier(issuer));
            X509Certificate certificate = sign(builder, new KeyPair(issuer.getPublicKey(), authority.key()));
            return new KeyAndChain(pair.getPrivate(), List.of(certificate));
        } catch (IOException | GeneralSecurityException | OperatorException e) {
            throw new IllegalStateException("a certificate cannot be made", e);
        }
    }

    private static KeyPair pair(SecureRandom random) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE), random);
        return generator.generateKeyPair();
    }

    private static X509v3CertificateBuilder builder(
            X500Principal issuer,
            X500Principal subject,
            KeyPair pair,
            Duration life,
            Clock clock,
            SecureRandom random) {
        Instant now = clock.instant();
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1),
                Date.from(now.minus(EARLY)),
                Date.from(now.plus(life)),
                subject,
                pair.getPublic());
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, KeyPair pair)
            throws GeneralSecurityException, OperatorException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(pair.getPrivate())));
    }
}
