package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What all Linux sandboxes of this process stand on: the agents' socket, and sandboxes that are ready. Started
/// when the first of them is wanted. Thread-safe.
final class LinuxHost implements AutoCloseable {
    private static final Duration ZYGOTE_PATIENCE = Duration.ofSeconds(10);

    /// A sandbox that will take requests.
    ///
    /// @param afterwards to be run once its agent has answered for the first time
    record Started(AgentSandbox sandbox, Runnable afterwards) {
        /// Waits for its first answer.
        AgentSandbox configured(Fields settings) {
            sandbox.configureOrClose(settings);
            afterwards.run();
            return sandbox;
        }
    }

    private final LinuxOptions options;
    private final SecureRandom random = new SecureRandom();
    private final LinuxPools pools;
    private final GvisorPlatform platform = new GvisorPlatform(this);
    private final Zygote zygote = new Zygote();
    private final StartQueue queue = StartQueue.standard();
    private final Disks disks;
    private @Nullable AgentListener listener;
    private boolean closed;

    LinuxHost(LinuxOptions options) {
        this.options = options;
        this.disks = new Disks(options.supervision().directory().resolve("disks"));
        this.pools = new LinuxPools(options.ready(), wanted -> () -> startReady(wanted));
    }

    /// Begins to fill the pools of the tiers that work here.
    void fill(Iterable<Tier> tiers) {
        tiers.forEach(tier -> {
            String template = tier.defaultTemplate().orElseThrow();
            if (options.images().apply(template).isPresent()) {
                pools.stand(LinuxStart.ready(tier, template));
            }
        });
    }

    /// A sandbox that is ready, or a new one, in the tenant's turn. One that is there already is not waited for again.
    AgentSandbox take(LinuxStart wanted, TenantId tenant, Fields settings) throws InterruptedException {
        // A template that there is not must not get a pool.
        LinuxBackend.image(options, wanted.template());
        Optional<AgentSandbox> ready = pools.take(wanted);
        if (ready.isPresent()) {
            return ready.get().configureAhead(settings);
        }
        try (StartQueue.Place _ = queue.enter(tenant)) {
            Started started = start(wanted);
            // With gVisor its connection comes from the supervisor: only its agent's answer says that the agent is
            // there too.
            return wanted.tier() == Tier.GVISOR
                    ? started.configured(settings)
                    : started.sandbox().configureAhead(settings);
        }
    }

    private AgentSandbox startReady(LinuxStart wanted) throws InterruptedException {
        if (!hasKernels(wanted.template())) {
            return start(wanted).configured(Fields.builder().build());
        }
        // A zygote's kernel is there when the sandbox is; else the agent starts an interpreter for whoever comes.
        boolean warm = wanted.tier() == Tier.JAIL && awaitWarmth(wanted.template());
        Fields.Builder fields = Fields.builder();
        // The agent answers, so it is there.
        return start(wanted.withPrepared(!warm))
                .configured((warm ? fields : fields.text(Tag.LANGUAGE, "python")).build());
    }

    /// Who asks for another template than the tier's own wants a shell more often than an interpreter.
    private static boolean hasKernels(String template) {
        return Tier.JAIL.defaultTemplate().orElseThrow().equals(template);
    }

    private Started start(LinuxStart wanted) throws InterruptedException {
        return wanted.tier() == Tier.GVISOR
                ? platform.start(wanted)
                : start(new JailTier(warmth(wanted.template())), wanted);
    }

    private boolean awaitWarmth(String template) throws InterruptedException {
        return options.zygote()
                && zygote.await(options.supervision().get(), LinuxBackend.image(options, template), ZYGOTE_PATIENCE)
                        .isPresent();
    }

    private Optional<String> warmth(String template) {
        return options.zygote() && hasKernels(template)
                ? zygote.ready(options.supervision().get(), LinuxBackend.image(options, template))
                : Optional.empty();
    }

    /// Starts one with a launcher that the caller chose.
    Started start(LinuxTier launcher, LinuxStart wanted) throws InterruptedException {
        Path image = LinuxBackend.image(options, wanted.template());
        Supervisor supervisor = options.supervision().get();
        String id = "sb-" + SandboxId.random(random).value().replaceAll("[^a-z0-9]", "");
        AgentListener agents = listener();
        Optional<Disks.Disk> disk = disks.take(wanted.limits());
        Runnable gone = disk.map(Disks.Disk::release).orElse(() -> {});
        LinuxShape shape = new LinuxShape(wanted.limits(), wanted.prepared(), disk.map(Disks.Disk::image));
        LinuxSandbox sandbox;
        try {
            sandbox = LinuxSandbox.start(
                    agents,
                    supervisor,
                    launcher,
                    id,
                    image,
                    shape,
                    gone,
                    options.ports(),
                    LinuxBackend.startMax(wanted.tier()));
        } catch (RuntimeException | InterruptedException failure) {
            gone.run();
            throw failure;
        }
        Runnable afterwards = wanted.tier() == Tier.GVISOR ? () -> sandbox.share(shape) : () -> {};
        return new Started(new AgentSandbox(sandbox.connection(), sandbox), afterwards);
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
    LinuxPool.Counts counts(Tier tier) {
        return pools.counts(tier);
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
        pools.close();
        zygote.close();
        if (last != null) {
            last.close();
        }
    }
}
