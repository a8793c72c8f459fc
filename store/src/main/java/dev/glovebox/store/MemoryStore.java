package dev.glovebox.store;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.Page;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.store.KeyStore;
import dev.glovebox.core.store.SandboxStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;

/// Sandboxes and keys in memory: for a command line that runs once inside its own process, and for tests. It
/// forgets all when the process ends. Times are kept to the microsecond, as the other store does. Thread-safe.
public final class MemoryStore implements SandboxStore, KeyStore {
    /// The oldest dead sandbox makes room for the next.
    private static final int DEAD_MAX = 10_000;

    private final Map<SandboxId, Sandbox> sandboxes = new HashMap<>();
    private final NavigableMap<Position, Sandbox> alive = new TreeMap<>(Comparator.reverseOrder());
    private final SequencedSet<SandboxId> dead = new LinkedHashSet<>();
    private final Map<String, ApiKey> keys = new HashMap<>();

    @Override
    public synchronized void save(Sandbox sandbox) {
        Sandbox kept = toMicros(sandbox);
        Sandbox before = sandboxes.put(kept.id(), kept);
        if (before != null) {
            alive.remove(Position.of(before));
            dead.remove(kept.id());
        }
        if (kept.state() instanceof SandboxState.Dead) {
            dead.addLast(kept.id());
            if (dead.size() > DEAD_MAX) {
                sandboxes.remove(dead.removeFirst());
            }
        } else {
            alive.put(Position.of(kept), kept);
        }
    }

    private static Sandbox toMicros(Sandbox sandbox) {
        SandboxState state = switch (sandbox.state()) {
            case SandboxState.Running running -> new SandboxState.Running(toMicros(running.since()));
            case SandboxState.Paused paused -> new SandboxState.Paused(toMicros(paused.since()));
            case SandboxState.Dead d -> new SandboxState.Dead(d.reason(), toMicros(d.since()));
            case SandboxState other -> other;
        };
        return new Sandbox(
                sandbox.id(),
                sandbox.tenant(),
                sandbox.tier(),
                sandbox.tierReason(),
                sandbox.language(),
                sandbox.template(),
                state,
                toMicros(sandbox.createdAt()),
                toMicros(sandbox.expiresAt()),
                sandbox.limits(),
                sandbox.metadata());
    }

    private static Instant toMicros(Instant instant) {
        return Position.instant(Position.micros(instant));
    }

    @Override
    public synchronized Optional<Sandbox> find(SandboxId id) {
        return Optional.ofNullable(sandboxes.get(id));
    }

    @Override
    public synchronized Page<Sandbox> list(
            TenantId tenant, Map<String, String> metadata, int pageSize, Optional<String> cursor) {
        SqliteStore.checkPage(metadata, pageSize);
        NavigableMap<Position, Sandbox> rest = cursor.map(Position::ofCursor)
                .map(after -> alive.tailMap(after, false))
                .orElse(alive);
        List<Sandbox> found = rest.values().stream()
                .filter(sandbox -> sandbox.tenant().equals(tenant))
                .filter(sandbox -> sandbox.metadata().entrySet().containsAll(metadata.entrySet()))
                .limit(pageSize + 1L)
                .toList();
        return SqliteStore.page(found, pageSize);
    }

    @Override
    public synchronized List<Sandbox> alive() {
        return new ArrayList<>(alive.descendingMap().values());
    }

    @Override
    public synchronized void add(ApiKey key) {
        if (keys.containsKey(key.id()) || findByHash(key.sha256()).isPresent()) {
            throw SqliteStore.keyExists(key);
        }
        keys.put(
                key.id(),
                new ApiKey(key.id(), key.sha256(), key.tenant(), key.role(), key.label(), toMicros(key.createdAt())));
    }

    @Override
    public synchronized Optional<ApiKey> findByHash(String sha256) {
        return keys.values().stream().filter(key -> key.sha256().equals(sha256)).findFirst();
    }

    @Override
    public synchronized List<ApiKey> list() {
        return keys.values().stream()
                .sorted(Comparator.comparing(ApiKey::createdAt).thenComparing(ApiKey::id))
                .toList();
    }

    @Override
    public synchronized boolean remove(String id) {
        return keys.remove(id) != null;
    }
}
