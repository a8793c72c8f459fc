package dev.glovebox.server.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/// A private key and the certificates that vouch for it, its own first. Immutable.
record KeyAndChain(PrivateKey key, List<X509Certificate> chain) {
    KeyAndChain {
        chain = List.copyOf(chain);
    }

    X509Certificate certificate() {
        return chain.getFirst();
    }

    /// Never the key.
    @Override
    public String toString() {
        return "KeyAndChain[" + certificate().getSubjectX500Principal() + "]";
    }
}
