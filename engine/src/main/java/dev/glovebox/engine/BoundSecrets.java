package dev.glovebox.engine;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.SecretSource;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.store.SecretStore;
import java.util.Optional;

/// Tenants' secrets for the requests of their own sandboxes, to the hosts that each is bound to. Opened anew each
/// time, so that one that was removed is sent no more. Thread-safe.
public final class BoundSecrets implements SecretSource {
    private static final System.Logger LOG = System.getLogger(BoundSecrets.class.getName());

    private final SecretStore store;
    private final SandboxOwners owners;

    public BoundSecrets(SecretStore store, SandboxOwners owners) {
        this.store = store;
        this.owners = owners;
    }

    @Override
    public Optional<String> value(SandboxId sandbox, HeaderTemplate.Placeholder placeholder, HostName host) {
        if (!(placeholder instanceof HeaderTemplate.Secret(String name))) {
            return Optional.empty();
        }
        try {
            return owners.of(sandbox)
                    .flatMap(tenant -> store.open(tenant, new SecretName(name)))
                    .filter(opened -> opened.secret().isBoundTo(host))
                    .map(opened -> opened.value().text());
        } catch (GloveboxException e) {
            // The request is refused as without a secret; why is for whoever runs the server.
            LOG.log(System.Logger.Level.ERROR, e.getMessage());
            return Optional.empty();
        }
    }
}
