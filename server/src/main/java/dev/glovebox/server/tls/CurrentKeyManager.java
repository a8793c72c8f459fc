package dev.glovebox.server.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// Hands the JDK whatever certificate is good now. A handshake asks in several calls, so each certificate has a name
/// that stays. Thread-safe.
final class CurrentKeyManager extends X509ExtendedKeyManager {
    private final CertificateSource source;
    /// One for each renewal: few.
    private final Map<String, KeyAndChain> byName = new ConcurrentHashMap<>();

    CurrentKeyManager(CertificateSource source) {
        this.source = source;
    }

    private @Nullable String choose(String keyType) {
        KeyAndChain now = source.current();
        boolean fits = now.certificate().getPublicKey().getAlgorithm().equals(keyType)
                || keyType.startsWith(now.certificate().getPublicKey().getAlgorithm() + "_");
        if (!fits) {
            return null;
        }
        String name = now.certificate().getSerialNumber().toString(Character.MAX_RADIX);
        byName.put(name, now);
        return name;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return choose(keyType);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return choose(keyType);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        String name = choose(keyType);
        return name == null ? null : new String[] {name};
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String name) {
        KeyAndChain found = byName.get(name);
        return found == null ? null : found.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String name) {
        KeyAndChain found = byName.get(name);
        return found == null ? null : found.key();
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
