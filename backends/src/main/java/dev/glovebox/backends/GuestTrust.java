package dev.glovebox.backends;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/// Lets the programs of a sandbox trust the authority of its own network, which they meet where rules look at requests.
final class GuestTrust {
    private static final GuestPath AUTHORITY = new GuestPath("/usr/local/share/ca-certificates/glovebox.crt");
    /// What OpenSSL, GnuTLS, curl, git and Python read on Debian and what is made of it.
    private static final GuestPath BUNDLE = new GuestPath("/etc/ssl/certs/ca-certificates.crt");

    /// Debian's has 220 KB.
    private static final int BUNDLE_BYTES_MAX = 4 * 1024 * 1024;

    /// For programs that bring a list of authorities of their own.
    private static final Map<String, String> VARIABLES = Map.of(
            "NODE_EXTRA_CA_CERTS",
            AUTHORITY.value(),
            "REQUESTS_CA_BUNDLE",
            BUNDLE.value(),
            "SSL_CERT_FILE",
            BUNDLE.value(),
            "CURL_CA_BUNDLE",
            BUNDLE.value());

    private GuestTrust() {}

    /// An environment with the variables that name the authority; those that are set stay.
    static Map<String, String> environment(Map<String, String> environment) {
        Map<String, String> extended = new TreeMap<>(VARIABLES);
        extended.putAll(environment);
        return extended;
    }

    /// Writes the certificate where programs look for those that they trust.
    ///
    /// @param pem the authority's certificate
    static void install(AgentFiles files, String pem) {
        FileAccess root = FileAccess.as(GuestUser.ROOT);
        byte[] certificate = pem.getBytes(StandardCharsets.US_ASCII);
        files.write(AUTHORITY, root, Map.of(), ByteSource.of(certificate));
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        try {
            files.read(BUNDLE, root, 0, BUNDLE_BYTES_MAX, bundle::writeBytes);
        } catch (GloveboxException failure) {
            // A template without any: then this is all that it trusts.
            if (failure.code() != ErrorCode.FILE_NOT_FOUND) {
                throw failure;
            }
        }
        bundle.write('\n');
        bundle.writeBytes(certificate);
        files.write(BUNDLE, root, Map.of(), ByteSource.of(bundle.toByteArray()));
    }
}
