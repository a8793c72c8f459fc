package dev.glovebox.backends;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Which kinds of sandboxes are kept ready. Those of a tier's own template and the product's own limits always; of the
/// others those that were wanted lately, more than once: keeping some ready costs memory that nobody may ever use.
/// Thread-safe.
final class LinuxPools implements AutoCloseable {
    /// Pools besides those that are always there.
    private static final int POOLS_MAX = 6;
    /// Kinds of which it is remembered that somebody wanted one.
    private static final int WANTED_MAX = 32;

    /// What the sandboxes of one pool have in common.
    record Kind(Tier tier, String template, long memoryBytes, long diskBytes, int fileCount) {
        static Kind of(LinuxStart wanted) {
            ResourceLimits limits = wanted.limits();
            return new Kind(
                    wanted.tier(), wanted.template(), limits.memoryBytes(), limits.diskBytes(), limits.fileCount());
        }
    }

    private final Map<String, Integer> sizes;
    private final Function<LinuxStart, LinuxPool.Maker> makers;
    private final Map<Kind, LinuxPool> standing = new LinkedHashMap<>();
    /// The least lately wanted first.
    private final Map<Kind, LinuxPool> earned = new LinkedHashMap<>(16, 0.75f, true);

    private final Set<Kind> wantedOnce = new LinkedHashSet<>();
    private boolean closed;

    /// @param sizes how many are kept ready of a kind, by the tier's word
    LinuxPools(Map<String, Integer> sizes, Function<LinuxStart, LinuxPool.Maker> makers) {
        this.sizes = Map.copyOf(sizes);
        this.makers = makers;
    }

    /// Begins to keep some ready, whether anybody wants them or not.
    void stand(LinuxStart wanted) {
        int size = size(wanted);
        if (size > 0) {
            LinuxPool pool;
            synchronized (this) {
                pool = standing.computeIfAbsent(Kind.of(wanted), _ -> new LinuxPool(size, makers.apply(wanted)));
            }
            pool.fill();
        }
    }

    /// One that is ready; empty if there is none.
    Optional<AgentSandbox> take(LinuxStart wanted) {
        List<LinuxPool> dismissed = new ArrayList<>();
        Optional<LinuxPool> pool = pool(wanted, dismissed);
        dismissed.forEach(LinuxPool::close);
        return pool.map(LinuxPool::take);
    }

    private synchronized Optional<LinuxPool> pool(LinuxStart wanted, List<LinuxPool> dismissed) {
        Kind kind = Kind.of(wanted);
        LinuxPool pool = standing.get(kind);
        if (pool == null) {
            pool = earned.get(kind);
        }
        if (pool != null || closed || size(wanted) == 0 || !isWantedAgain(kind)) {
            return Optional.ofNullable(pool);
        }
        LinuxPool made = new LinuxPool(size(wanted), makers.apply(wanted));
        earned.put(kind, made);
        if (earned.size() > POOLS_MAX) {
            Kind oldest = earned.keySet().iterator().next();
            dismissed.add(earned.remove(oldest));
        }
        return Optional.of(made);
    }

    private boolean isWantedAgain(Kind kind) {
        if (wantedOnce.remove(kind)) {
            return true;
        }
        wantedOnce.add(kind);
        if (wantedOnce.size() > WANTED_MAX) {
            wantedOnce.remove(wantedOnce.iterator().next());
        }
        return false;
    }

    private int size(LinuxStart wanted) {
        return sizes.getOrDefault(wanted.tier().word(), 0);
    }

    /// How often one was ready when it was wanted, of all kinds of a tier.
    synchronized LinuxPool.Counts counts(Tier tier) {
        List<Map.Entry<Kind, LinuxPool>> all = new ArrayList<>(standing.entrySet());
        all.addAll(earned.entrySet());
        return all.stream()
                .filter(pool -> pool.getKey().tier() == tier)
                .map(pool -> pool.getValue().counts())
                .reduce(new LinuxPool.Counts(0, 0), LinuxPool.Counts::plus);
    }

    @Override
    public void close() {
        List<LinuxPool> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(standing.values());
            all.addAll(earned.values());
        }
        all.forEach(LinuxPool::close);
    }
}
