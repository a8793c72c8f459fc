package dev.glovebox.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Set;

/// The Ed25519 key that seals the audit log's segments: `audit-key` (for its owner's eyes only) and
/// `audit-key.pub` in the server's home directory, made at the first start. Whoever keeps a copy of the public
/// file elsewhere can verify seals without trusting the server's disk. Thread-safe.
public final class AuditKey {
    private static final String ALGORITHM = "Ed25519";
    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";
    private static final int ID_CHARS = 16;
    private static final int PEM_LINE_CHARS = 64;

    private final Path privateFile;
    private final Path publicFile;

    /// The key under a home directory; nothing is read before it is needed.
    public AuditKey(Path home) {
        this.privateFile = home.resolve("audit-key");
        this.publicFile = home.resolve("audit-key.pub");
    }

    /// Where the public half is, for `audit verify`.
    public Path publicFile() {
        return publicFile;
    }

    /// The public half.
    ///
    /// @throws IllegalArgumentException if the file holds no such key
    public static PublicKey readPublic(Path file) {
        try {
            byte[] der = pem(Files.readString(file), PUBLIC);
            return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(der));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " holds no Ed25519 public key", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the public key: " + e.getMessage(), e);
        }
    }

    /// Makes the key pair unless it is there. One caller at a time: the log's lock is held.
    void createIfAbsent() throws IOException {
        if (!Files.exists(privateFile)) {
            if (Files.exists(publicFile)) {
                throw new IOException(publicFile + " is there but " + privateFile + " is not: bring the private key"
                        + " back from a backup, or move the public one aside to begin with a new pair");
            }
            KeyPair pair = generate();
            String both = pem(PRIVATE, pair.getPrivate().getEncoded())
                    + pem(PUBLIC, pair.getPublic().getEncoded());
            PrivateFiles.writeNew(privateFile, both.getBytes(StandardCharsets.US_ASCII));
        }
        if (!Files.exists(publicFile)) {
            // The private file holds both, so that a crash between the two files loses nothing.
            byte[] der = pem(Files.readString(privateFile), PUBLIC);
            Path unfinished = publicFile.resolveSibling("audit-key.pub.new");
            Files.writeString(unfinished, pem(PUBLIC, der));
            Files.move(unfinished, publicFile, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static KeyPair generate() {
        try {
            return KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK since 15 has Ed25519", impossible);
        }
    }

    /// Signs with the private key.
    byte[] sign(byte[] message) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(privateFile);
        if (!PrivateFiles.OWNER_ONLY.containsAll(permissions)) {
            throw new IOException(privateFile + " can be read by others than its owner: chmod 600 it, and think about"
                    + " who may have copied it");
        }
        try {
            byte[] der = pem(Files.readString(privateFile), PRIVATE);
            PrivateKey key = KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(der));
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(message);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IOException(privateFile + " holds no Ed25519 private key", e);
        }
    }

    /// Whether a signature is the work of the private half of `key`.
    static boolean isSignedBy(PublicKey key, byte[] message, byte[] signed) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(key);
            signature.update(message);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    /// Names a public key: the first digits of the hash of its encoding.
    static String id(PublicKey key) {
        return AuditFormat.hex(AuditFormat.sha256().digest(key.getEncoded())).substring(0, ID_CHARS);
    }

    private static String pem(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder(PEM_LINE_CHARS, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }

    private static byte[] pem(String text, String label) {
        String head = "-----BEGIN " + label + "-----";
        int begin = text.indexOf(head);
        int end = text.indexOf("-----END " + label + "-----");
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("the key file holds no " + label);
        }
        return Base64.getMimeDecoder().decode(text.substring(begin + head.length(), end));
    }

    /// Never the key.
    @Override
    public String toString() {
        return "AuditKey[" + publicFile + "]";
    }
}
