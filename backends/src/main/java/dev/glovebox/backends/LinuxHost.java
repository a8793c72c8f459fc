package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What all Linux sandboxes of this process stand on: the agents' socket, and sandboxes that are ready. Started
/// when the first of them is wanted. Thread-safe.
final class LinuxHost implements AutoCloseable {
    private static final String TEMPLATE = "code";
    private static final Duration ZYGOTE_PATIENCE = Duration.ofSeconds(10);

    /// A sandbox that takes requests.
    ///
    /// @param pooled whether it was ready before it was asked for
    record Started(AgentSandbox sandbox, boolean pooled) {}

    private final LinuxOptions options;
    private final SecureRandom random = new SecureRandom();
    private final Map<Tier, LinuxPool> pools = new EnumMap<>(Tier.class);
    private final GvisorPlatform platform = new GvisorPlatform(this);
    private final Zygote zygote = new Zygote();
    private @Nullable AgentListener listener;
    private boolean closed;

    LinuxHost(LinuxOptions options) {
        this.options = options;
        options.ready()
                .forEach((word, size) -> Tier.ofWord(word)
                        .ifPresent(tier -> pools.put(tier, new LinuxPool(size, () -> startReady(tier)))));
    }

    /// Begins to fill the pools of the tiers that work here.
    void fill(Iterable<Tier> tiers) {
        tiers.forEach(tier -> {
            LinuxPool pool = pools.get(tier);
            if (pool != null && options.images().apply(TEMPLATE).isPresent()) {
                pool.fill();
            }
        });
    }

    /// A sandbox that is ready, or a new one.
    Started take(Tier tier, ResourceLimits limits) throws InterruptedException {
        LinuxPool pool = pools.get(tier);
        AgentSandbox ready = pool != null && isOfReadySize(limits) ? pool.take() : null;
        return ready != null ? new Started(ready, true) : new Started(start(tier, limits, false), false);
    }

    private static boolean isOfReadySize(ResourceLimits limits) {
        ResourceLimits ready = LinuxBackend.readyLimits();
        return limits.memoryBytes() == ready.memoryBytes()
                && limits.diskBytes() == ready.diskBytes()
                && limits.fileCount() == ready.fileCount();
    }

    private AgentSandbox startReady(Tier tier) throws InterruptedException {
        // A zygote's kernel is there when the sandbox is; else the agent starts an interpreter for whoever comes.
        boolean warm = tier == Tier.JAIL && awaitWarmth();
        Fields.Builder fields = Fields.builder();
        // The agent answers, so it is there.
        return start(tier, LinuxBackend.readyLimits(), !warm)
                .configureOrClose((warm ? fields : fields.text(Tag.LANGUAGE, "python")).build());
    }

    private AgentSandbox start(Tier tier, ResourceLimits limits, boolean prepared) throws InterruptedException {
        return tier == Tier.GVISOR
                ? platform.start(limits, prepared)
                : start(new JailTier(warmth()), tier, limits, prepared);
    }

    private boolean awaitWarmth() throws InterruptedException {
        return options.zygote()
                && zygote.await(options.supervision().get(), LinuxBackend.image(options, TEMPLATE), ZYGOTE_PATIENCE)
                        .isPresent();
    }

    private Optional<String> warmth() {
        return options.zygote()
                ? zygote.ready(options.supervision().get(), LinuxBackend.image(options, TEMPLATE))
                : Optional.empty();
    }

    /// Starts one in a tier that the caller chose.
    AgentSandbox start(LinuxTier launcher, Tier tier, ResourceLimits limits, boolean prepared)
            throws InterruptedException {
        Path image = LinuxBackend.image(options, TEMPLATE);
        Supervisor supervisor = options.supervision().get();
        String id = "sb-" + SandboxId.random(random).value().replaceAll("[^a-z0-9]", "");
        LinuxSandbox sandbox = LinuxSandbox.start(
                listener(), supervisor, launcher, id, image, limits, prepared, LinuxBackend.startMax(tier));
        AgentSandbox started = new AgentSandbox(sandbox.connection(), sandbox);
        if (tier == Tier.GVISOR) {
            // Its connection comes from the supervisor; that the agent answers says that it is there too.
            started.configureOrClose(Fields.builder().build());
            sandbox.share(limits, prepared);
        }
        return started;
    }

    GvisorTier gvisor(String platformName) {
        Path runsc = options.runsc()
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.TIER_UNAVAILABLE, "there is no runsc on this machine: 'glovebox doctor' says more"));
        Supervision supervision = options.supervision();
        return new GvisorTier(runsc, platformName, supervision.scratch(), supervision.agent());
    }

    private synchronized AgentListener listener() {
        if (closed) {
            throw new GloveboxException(ErrorCode.OVERLOADED, "this server is stopping: try again when it is back");
        }
        AgentListener now = listener;
        if (now == null) {
            now = openListener();
            listener = now;
        }
        return now;
    }

    private AgentListener openListener() {
        Path socket = options.supervision().directory().resolve("agents.sock");
        try {
            Files.deleteIfExists(socket);
            return AgentListener.open(socket, options.oneRun() ? IoThreads.PLATFORM : IoThreads.VIRTUAL);
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE, "the agents' socket cannot be made: " + failure.getMessage(), failure);
        }
    }

    /// How often a pool had one ready, and how often not; for metrics and tests.
    LinuxPool.@Nullable Counts counts(Tier tier) {
        LinuxPool pool = pools.get(tier);
        return pool == null ? null : pool.counts();
    }

    /// Ends every sandbox, and leaves the supervisor to whom it belongs.
    @Override
    public void close() {
        AgentListener last;
        synchronized (this) {
            closed = true;
            last = listener;
            listener = null;
        }
        pools.values().forEach(LinuxPool::close);
        zygote.close();
        if (last != null) {
            last.close();
        }
    }
}
