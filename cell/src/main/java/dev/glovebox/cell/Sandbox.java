package dev.glovebox.cell;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// One sandbox: its files, its settings, what runs in it. Thread-safe.
final class Sandbox implements AutoCloseable {
    /// What a program finds even if nobody set it.
    static final Map<String, String> ENVIRONMENT_DEFAULT =
            Map.of("HOME", "/home/user", "USER", "user", "PATH", "/usr/bin:/bin", "LANG", "C.UTF-8");

    /// What CONFIGURE sets.
    record Settings(ResourceLimits limits, Map<String, String> environment, GuestPath directory) {}

    private final Tier tier;
    private final MemoryFileSystem files;
    private final InterpreterPool pool;
    private final InstantSource clock;
    private final SecureRandom random;
    private final AtomicReference<InterpreterSource.@Nullable Warm> setAside = new AtomicReference<>();
    private final InterpreterPool.@Nullable Kind setAsideKind;
    private final Map<String, Context> contexts = new ConcurrentHashMap<>();
    private final Map<Long, GuestRun> runs = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicLong cpuNanos = new AtomicLong();
    private volatile Settings settings;
    private final Outbound network = new Outbound();
    private volatile boolean closed;

    /// @param setAside an interpreter that waits for this sandbox's first use of it, or null
    Sandbox(
            Tier tier,
            ResourceLimits limits,
            MemoryFileSystem files,
            CellServices services,
            @Nullable SetAside setAside) {
        this.tier = tier;
        this.files = files;
        pool = services.pool();
        clock = services.clock();
        random = services.random();
        settings = new Settings(limits, ENVIRONMENT_DEFAULT, GuestPath.HOME);
        setAsideKind = setAside == null ? null : setAside.kind();
        this.setAside.set(setAside == null ? null : setAside.warm());
    }

    record SetAside(InterpreterPool.Kind kind, InterpreterSource.Warm warm) {}

    Tier tier() {
        return tier;
    }

    MemoryFileSystem files() {
        return files;
    }

    Outbound network() {
        return network;
    }

    Settings settings() {
        return settings;
    }

    /// Takes new settings. Interpreters that exist keep their memory limit.
    void configure(Settings newSettings, byte[] entropy) {
        files.limit(newSettings.limits());
        settings = newSettings;
        if (entropy.length > 0) {
            random.setSeed(entropy);
        }
    }

    /// An interpreter of its own for a process or a context.
    ///
    /// @param mayTakeReady whether it may be one of the pool; one that was set aside for this sandbox always may
    GuestRun.Acquired acquire(Language language, ResourceLimits limits, boolean mayTakeReady) {
        InterpreterPool.Kind kind = new InterpreterPool.Kind(tier, language);
        InterpreterHome home = new InterpreterHome(files, limits, clock, random, network);
        InterpreterSource.Warm warm = kind.equals(setAsideKind) ? setAside.getAndSet(null) : null;
        if (warm == null && mayTakeReady) {
            warm = pool.take(kind, files);
        }
        if (warm != null && !warm.fits(limits)) {
            warm.close();
            warm = null;
        }
        return warm == null
                ? new GuestRun.Acquired(pool.create(kind, home), false)
                : new GuestRun.Acquired(warm.claim(home), true);
    }

    boolean has(Language language) {
        return pool.has(new InterpreterPool.Kind(tier, language));
    }

    long nextId() {
        return lastId.incrementAndGet();
    }

    /// Enters a run in the books.
    ///
    /// @throws GloveboxException if the sandbox has too many, or has ended
    void add(GuestRun run) {
        if (runs.size() >= Limits.CELL_PROCESSES_PER_SANDBOX_MAX) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "the sandbox has " + Limits.CELL_PROCESSES_PER_SANDBOX_MAX + " processes, which is the bound");
        }
        runs.put(run.id(), run);
        if (closed) {
            run.end(ended());
        }
    }

    void remove(GuestRun run) {
        if (runs.remove(run.id()) != null) {
            cpuNanos.addAndGet(run.cpuNanos());
        }
    }

    int running() {
        return runs.size();
    }

    long cpuNanos() {
        return cpuNanos.get();
    }

    long memoryBytes() {
        long total = 0;
        for (GuestRun run : runs.values()) {
            total += run.memoryBytes();
        }
        for (Context context : contexts.values()) {
            total += context.memoryBytes();
        }
        return total;
    }

    /// The context of this name.
    ///
    /// @throws GloveboxException if there is none
    Context context(String name) {
        Context context = contexts.get(name);
        if (context == null) {
            throw new GloveboxException(
                    ErrorCode.CONTEXT_NOT_FOUND, "no such context; it was never opened, was closed, or was lost");
        }
        return context;
    }

    /// @throws GloveboxException if the name is taken or there are too many
    synchronized void add(Context context) {
        if (contexts.containsKey(context.name())) {
            throw new GloveboxException(ErrorCode.ALREADY_EXISTS, "a context of that name is open already");
        }
        if (contexts.size() >= Limits.CONTEXTS_PER_SANDBOX_MAX) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "the sandbox has " + Limits.CONTEXTS_PER_SANDBOX_MAX + " contexts, which is the bound");
        }
        contexts.put(context.name(), context);
        if (closed) {
            context.close();
        }
    }

    synchronized void remove(Context context) {
        contexts.remove(context.name(), context);
    }

    private static Outcome ended() {
        return new Outcome.Killed("its sandbox ended");
    }

    /// Ends all that runs. Interpreters that still compute are closed by their own threads.
    @Override
    public void close() {
        closed = true;
        runs.values().forEach(run -> run.end(ended()));
        contexts.values().forEach(Context::close);
        network.close();
        InterpreterSource.Warm unused = setAside.getAndSet(null);
        if (unused != null) {
            unused.close();
        }
        files.release();
    }
}
