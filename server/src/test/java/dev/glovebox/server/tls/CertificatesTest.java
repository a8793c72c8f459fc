package dev.glovebox.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CertificatesTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final TestClock clock = new TestClock();

    @TempDir
    private Path directory;

    private static final class TestClock extends Clock {
        private Instant now = Instant.parse("2026-11-30T12:00:00Z");

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }

    private LocalAuthority authority(String... domains) {
        return LocalAuthority.open(directory.resolve("tls"), Set.of(domains), clock, RANDOM);
    }

    private static List<String> names(X509Certificate certificate) throws Exception {
        Collection<List<?>> names = Objects.requireNonNull(certificate.getSubjectAlternativeNames());
        return names.stream().map(name -> (String) name.get(1)).toList();
    }

    @Test
    void anAuthorityIsMadeOnceAndForTheOwner() throws Exception {
        KeyAndChain first = authority("a.test", "b.test").issue();
        Path key = directory.resolve("tls/ca.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        byte[] before = Files.readAllBytes(key);
        KeyAndChain second = authority("b.test").issue();
        assertThat(Files.readAllBytes(key)).isEqualTo(before);
        X509Certificate ca = Pem.certificates(directory.resolve("tls/ca.pem")).getFirst();
        first.certificate().verify(ca.getPublicKey());
        second.certificate().verify(ca.getPublicKey());
        assertThat(names(first.certificate())).containsExactly("a.test", "*.a.test", "b.test", "*.b.test");
        assertThat(names(second.certificate())).containsExactly("b.test", "*.b.test");
        assertThat(first.certificate().getSerialNumber())
                .isNotEqualTo(second.certificate().getSerialNumber());
        assertThat(ca.getBasicConstraints()).isZero();
        assertThat(first.certificate().getBasicConstraints()).isEqualTo(-1);
        assertThat(first.toString()).doesNotContain("PRIVATE").contains("CN=a.test");
    }

    @Test
    void anAuthorityDoesNotVouchForWhatItWasNotMadeFor() {
        authority("a.test");
        assertThatThrownBy(() -> authority("a.test", "bank.test"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("vouches for a.test, not for a.test, bank.test")
                .hasMessageContaining("remove the directory");
    }

    @Test
    void aKeyWhoseCertificateWasNeverWrittenIsReplaced() throws Exception {
        Files.createDirectories(directory.resolve("tls"));
        Files.writeString(directory.resolve("tls/ca.key"), "half");
        assertThat(authority("a.test").issue().chain()).hasSize(1);
    }

    @Test
    void renewsBeforeTheEnd() {
        LocalCertificates certificates = new LocalCertificates(authority("a.test"), clock);
        KeyAndChain first = certificates.current();
        clock.now = clock.now.plus(LocalAuthority.CERTIFICATE_LIFE).minus(Duration.ofDays(31));
        assertThat(certificates.current()).isSameAs(first);
        clock.now = clock.now.plus(Duration.ofDays(2));
        KeyAndChain second = certificates.current();
        assertThat(second).isNotSameAs(first);
        assertThat(second.certificate().getNotAfter().toInstant())
                .isAfter(first.certificate().getNotAfter().toInstant());
    }

    private Path write(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text, StandardCharsets.US_ASCII);
    }

    private void write(KeyAndChain certificate) throws Exception {
        write("cert.pem", Pem.write("CERTIFICATE", certificate.certificate().getEncoded()));
        write("key.pem", Pem.write("PRIVATE KEY", certificate.key().getEncoded()));
        FileTime time = FileTime.from(clock.now);
        Files.setLastModifiedTime(directory.resolve("cert.pem"), time);
        Files.setLastModifiedTime(directory.resolve("key.pem"), time);
    }

    @Test
    void readsFilesAgainWhenTheyHaveChanged() throws Exception {
        LocalAuthority authority = authority("a.test");
        KeyAndChain first = authority.issue();
        write(first);
        FileCertificates files =
                new FileCertificates(directory.resolve("cert.pem"), directory.resolve("key.pem"), clock);
        assertThat(files.current().certificate()).isEqualTo(first.certificate());
        clock.now = clock.now.plusSeconds(60);
        KeyAndChain second = authority.issue();
        write(second);
        clock.now = clock.now.plusSeconds(60);
        assertThat(files.current().certificate()).isEqualTo(second.certificate());
        // Half of a renewal: the one before goes on until the rest is there.
        KeyAndChain third = authority.issue();
        write("cert.pem", Pem.write("CERTIFICATE", third.certificate().getEncoded()));
        clock.now = clock.now.plusSeconds(60);
        assertThat(files.current().certificate()).isEqualTo(second.certificate());
        write("key.pem", Pem.write("PRIVATE KEY", third.key().getEncoded()));
        clock.now = clock.now.plusSeconds(60);
        assertThat(files.current().certificate()).isEqualTo(third.certificate());
    }

    @Test
    void saysWhatIsWrongWithFiles() throws Exception {
        LocalAuthority authority = authority("a.test");
        write(authority.issue());
        Path certificate = directory.resolve("cert.pem");
        Path key = directory.resolve("key.pem");
        Path other = write(
                "other.pem", Pem.write("PRIVATE KEY", authority.issue().key().getEncoded()));
        assertThatThrownBy(() -> new FileCertificates(certificate, other, clock))
                .hasMessageContaining("is not that of the first certificate");
        assertThatThrownBy(() -> new FileCertificates(key, key, clock)).hasMessageContaining("certificate");
        assertThatThrownBy(() -> new FileCertificates(certificate, certificate, clock))
                .hasMessageContaining("private key");
        assertThatThrownBy(() -> new FileCertificates(directory.resolve("none"), key, clock))
                .hasMessageContaining("none");
    }
}
