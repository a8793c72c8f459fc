package dev.glovebox.conformance;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.net.URI;

/// The server that is examined, and an administrator's key to it.
public record Target(URI address, String key) {

    /// A client with the administrator's key; the caller closes it.
    public Glovebox connect() {
        return Glovebox.connect(address, key);
    }

    /// The same server, with a new key of a tenant.
    public Target tenant(String tenant) {
        try (Glovebox admin = connect()) {
            KeyResponse made = admin.keys().create(new KeyRequest("conformance", tenant, "tenant"));
            String secret = made.secret();
            if (secret == null) {
                throw new IllegalStateException("the answer that made a key does not hold it");
            }
            return new Target(address, secret);
        }
    }

    /// Never the key.
    @Override
    public String toString() {
        return "Target[" + address + "]";
    }
}
