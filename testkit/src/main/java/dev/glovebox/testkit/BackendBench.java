package dev.glovebox.testkit;

import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkGrant;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// The bench that a tier is tested on: makes sandboxes, runs programs in them, and cleans up.
///
/// @param programs what to run, by language
public record BackendBench(SandboxBackend backend, Tier tier, Function<Language, GuestPrograms> programs) {
    /// The tenant of every sandbox that no test gives another.
    public static final TenantId TENANT = Samples.ALICE;

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    public boolean can(Capability capability) {
        return backend.capabilities(tier).contains(capability);
    }

    /// The languages that the tier runs as text.
    public List<Language> languages() {
        List<Language> languages = new ArrayList<>();
        for (Language language : List.of(Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT)) {
            if (can(capabilityOf(language))) {
                languages.add(language);
            }
        }
        return languages;
    }

    /// The languages that it must refuse.
    public List<Language> otherLanguages() {
        List<Language> languages = new ArrayList<>(List.of(Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT));
        languages.removeAll(languages());
        return languages;
    }

    static Capability capabilityOf(Language language) {
        return switch (language) {
            case PYTHON -> Capability.PYTHON;
            case JAVASCRIPT -> Capability.JAVASCRIPT;
            case TYPESCRIPT -> Capability.TYPESCRIPT;
            case WASM -> Capability.WASM_MODULES;
        };
    }

    /// A sandbox of [#TENANT] with the default limits.
    public SandboxHandle create() {
        return create(request());
    }

    public SandboxHandle create(Requirements requirements) {
        return backend.create(requirements);
    }

    public Requirements request() {
        return new Requirements(
                SandboxId.random(new SecureRandom()),
                TENANT,
                tier,
                languages().getFirst(),
                Optional.empty(),
                ResourceLimits.DEFAULT,
                Map.of(),
                NetworkGrant.CLOSED,
                false);
    }

    public static Requirements withLimits(Requirements request, ResourceLimits limits) {
        return copy(request, request.tenant(), limits, request.environment(), request.network(), request.alone());
    }

    public static Requirements withTenant(Requirements request, TenantId tenant, boolean alone) {
        return copy(request, tenant, request.limits(), request.environment(), request.network(), alone);
    }

    public static Requirements withNetwork(Requirements request, NetworkGrant network) {
        return copy(request, request.tenant(), request.limits(), request.environment(), network, request.alone());
    }

    public static Requirements withEnvironment(Requirements request, Map<String, String> environment) {
        return copy(request, request.tenant(), request.limits(), environment, request.network(), request.alone());
    }

    private static Requirements copy(
            Requirements request,
            TenantId tenant,
            ResourceLimits limits,
            Map<String, String> environment,
            NetworkGrant network,
            boolean alone) {
        return new Requirements(
                request.sandbox(),
                tenant,
                request.tier(),
                request.language(),
                request.template(),
                limits,
                environment,
                network,
                alone);
    }

    /// A process id that no other test has used.
    public static ProcessId nextProcess() {
        return new ProcessId(NUMBERS.incrementAndGet());
    }

    public Execution.ProcessSpec spec(Language language, GuestTask task) {
        return spec(language, programs.apply(language).code(task));
    }

    public Execution.ProcessSpec spec(Language language, String code) {
        return new Execution.ProcessSpec(
                List.of(),
                Optional.of(programs.apply(language).program(code)),
                Map.of(),
                GuestPath.HOME,
                false,
                ResourceLimits.DEFAULT);
    }

    /// A process that was run to its end.
    public record Ran(Execution.Result result, Recording said) {
        public String stdout() {
            return said.stdout();
        }

        public String stderr() {
            return said.stderr();
        }

        @Override
        public String toString() {
            return result.outcome().sentence() + "; stdout: " + cut(stdout()) + "; stderr: " + cut(stderr());
        }

        private static String cut(String text) {
            return text.length() <= 2000 ? text : text.substring(0, 2000) + "...";
        }
    }

    public Ran run(SandboxHandle sandbox, Language language, GuestTask task) {
        return run(sandbox, spec(language, task));
    }

    public static Ran run(SandboxHandle sandbox, Execution.ProcessSpec spec) {
        Recording recording = new Recording();
        return new Ran(sandbox.start(nextProcess(), spec, recording), recording);
    }

    /// A process that runs beside the test.
    public record Running(ProcessId id, Recording said, Thread thread, CompletableFuture<Execution.Result> result) {
        /// Its end, waited for.
        public Execution.Result await() {
            return BackendBench.await(result);
        }
    }

    public static Running startBeside(SandboxHandle sandbox, Execution.ProcessSpec spec) {
        ProcessId id = nextProcess();
        Recording recording = new Recording();
        CompletableFuture<Execution.Result> result = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().start(() -> complete(result, () -> sandbox.start(id, spec, recording)));
        recording.awaitStarted();
        return new Running(id, recording, thread, result);
    }

    /// Something that blocks.
    @FunctionalInterface
    public interface Blocking<T> {
        T call();
    }

    /// Does something on a thread of its own.
    public static <T> CompletableFuture<T> beside(Blocking<T> action) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> complete(future, action));
        return future;
    }

    private static <T> void complete(CompletableFuture<T> future, Blocking<T> action) {
        try {
            future.complete(action.call());
        } catch (RuntimeException | Error failure) {
            future.completeExceptionally(failure);
        }
    }

    /// Waits, and rethrows what the other thread threw.
    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(failure.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("did not end in " + PATIENCE.toSeconds() + " s", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        }
    }

    public static byte[] read(SandboxHandle sandbox, String path) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        sandbox.read(new GuestPath(path), content::writeBytes);
        return content.toByteArray();
    }

    public static String readText(SandboxHandle sandbox, String path) {
        return new String(read(sandbox, path), StandardCharsets.UTF_8);
    }
}
