package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// The key that secrets are sealed with (AES-256-GCM), in a file of its own beside the database: a copy of
/// the database alone tells nothing. A seal holds for one tenant, name and set of hosts: whoever can write to
/// the database can neither give a value another name nor bind it to another host. Thread-safe.
public final class SecretKey {
    private static final String ALGORITHM = "AES";
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int ID_CHARS = 16;

    private final Path file;
    private final SecretKeySpec key;
    private final String id;
    private final SecureRandom random;

    private SecretKey(Path file, byte[] key, SecureRandom random) {
        this.file = file;
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.random = random;
        this.id = AuditFormat.hex(AuditFormat.sha256()
                        .digest(concat("glovebox secret key id".getBytes(StandardCharsets.US_ASCII), key)))
                .substring(0, ID_CHARS);
    }

    /// The key in a file, which is made for its owner's eyes only if it is missing.
    ///
    /// @throws GloveboxException INTERNAL if the file cannot be used
    public static SecretKey open(Path file, SecureRandom random) {
        try {
            if (!Files.exists(file)) {
                byte[] made = new byte[KEY_BYTES];
                random.nextBytes(made);
                PrivateFiles.writeNew(file, made);
            }
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!PrivateFiles.OWNER_ONLY.containsAll(permissions)) {
                throw unusable(
                        file,
                        "it can be read by others than its owner: chmod 600 it, and think about who may have"
                                + " copied it");
            }
            byte[] key = Files.readAllBytes(file);
            if (key.length != KEY_BYTES) {
                throw unusable(
                        file,
                        "it has " + key.length + " bytes instead of " + KEY_BYTES + ": bring it back from a"
                                + " backup, or move it aside and put the secrets again");
            }
            return new SecretKey(file, key, random);
        } catch (IOException e) {
            throw unusable(file, String.valueOf(e.getMessage()));
        }
    }

    private static GloveboxException unusable(Path file, String why) {
        return new GloveboxException(ErrorCode.INTERNAL, "the key of secrets in " + file + " cannot be used: " + why);
    }

    /// Names the key without telling anything of it.
    String id() {
        return id;
    }

    /// The value as it is kept.
    String seal(Secret secret, SecretValue value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, secret);
            byte[] sealed = cipher.doFinal(value.text().getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(concat(nonce, sealed));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK has AES-GCM", impossible);
        }
    }

    /// The value of what was kept with the key of this id.
    ///
    /// @throws GloveboxException INTERNAL if it was another key, or if anything of the secret has been changed
    SecretValue open(Secret secret, String keyId, String kept) {
        if (!keyId.equals(id)) {
            throw new GloveboxException(
                    ErrorCode.INTERNAL,
                    "the secret " + secret.name() + " of tenant " + secret.tenant()
                            + " was sealed with another key than" + " the one in " + file
                            + ": bring that back from a backup, or put the secret again");
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(kept);
            byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, nonce, secret);
            byte[] value = cipher.doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
            return new SecretValue(new String(value, StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // What exactly does not fit is nobody's concern, and the cause could hold a part of it.
            throw new GloveboxException(
                    ErrorCode.INTERNAL,
                    "the secret " + secret.name() + " of tenant " + secret.tenant()
                            + " was changed in the database since it was put: put it again, and find out who did that");
        }
    }

    private Cipher cipher(int mode, byte[] nonce, Secret secret) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(belonging(secret).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /// What the seal holds for. None of the parts can hold a line end.
    private static String belonging(Secret secret) {
        return "1\n" + secret.tenant() + "\n" + secret.name() + "\n" + hosts(secret);
    }

    /// The hosts of a secret as they are kept.
    static String hosts(Secret secret) {
        return secret.hosts().stream().map(Object::toString).collect(Collectors.joining(" "));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /// Never the key.
    @Override
    public String toString() {
        return "SecretKey[" + id + "]";
    }
}
