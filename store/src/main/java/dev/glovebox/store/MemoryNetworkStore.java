package dev.glovebox.store;

import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.core.store.SecretStore;
import dev.glovebox.core.store.TunnelStore;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Secrets and tunnels in memory, beside [MemoryStore]: they are gone when the process ends. Thread-safe.
public final class MemoryNetworkStore {
    private final Map<Key, SecretStore.Opened> secrets = new HashMap<>();
    private final Map<Key, Tunnel> tunnels = new HashMap<>();

    private record Key(TenantId tenant, String name) {}

    /// As what knows secrets.
    public SecretStore secrets() {
        return new Secrets();
    }

    /// As what knows tunnels.
    public TunnelStore tunnels() {
        return new Tunnels();
    }

    private final class Secrets implements SecretStore {
        @Override
        public void put(Secret secret, SecretValue value) {
            synchronized (secrets) {
                Key key = new Key(secret.tenant(), secret.name().value());
                if (!secrets.containsKey(key)) {
                    TenantBound.SECRETS.check(list(secret.tenant()).size() + 1L);
                }
                Secret kept = new Secret(
                        secret.tenant(),
                        secret.name(),
                        secret.hosts(),
                        Position.instant(Position.micros(secret.updatedAt())));
                secrets.put(key, new Opened(kept, value));
            }
        }

        @Override
        public List<Secret> list(TenantId tenant) {
            synchronized (secrets) {
                return secrets.values().stream()
                        .map(Opened::secret)
                        .filter(secret -> secret.tenant().equals(tenant))
                        .sorted(Comparator.comparing(secret -> secret.name().value()))
                        .toList();
            }
        }

        @Override
        public boolean remove(TenantId tenant, SecretName name) {
            synchronized (secrets) {
                return secrets.remove(new Key(tenant, name.value())) != null;
            }
        }

        @Override
        public Optional<Opened> open(TenantId tenant, SecretName name) {
            synchronized (secrets) {
                return Optional.ofNullable(secrets.get(new Key(tenant, name.value())));
            }
        }
    }

    private final class Tunnels implements TunnelStore {
        @Override
        public void put(TenantId tenant, Tunnel tunnel) {
            synchronized (tunnels) {
                Key key = new Key(tenant, tunnel.name().value());
                if (!tunnels.containsKey(key)) {
                    TenantBound.TUNNELS.check(list(tenant).size() + 1L);
                }
                tunnels.put(key, tunnel);
            }
        }

        @Override
        public List<Tunnel> list(TenantId tenant) {
            synchronized (tunnels) {
                return tunnels.entrySet().stream()
                        .filter(entry -> entry.getKey().tenant().equals(tenant))
                        .map(Map.Entry::getValue)
                        .sorted(Comparator.comparing(tunnel -> tunnel.name().value()))
                        .toList();
            }
        }

        @Override
        public boolean remove(TenantId tenant, TunnelName name) {
            synchronized (tunnels) {
                return tunnels.remove(new Key(tenant, name.value())) != null;
            }
        }
    }
}
