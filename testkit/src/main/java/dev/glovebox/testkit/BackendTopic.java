package dev.glovebox.testkit;

import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;

/// One topic of a suite about a tier. Each test has a fresh sandbox, and all that it makes besides is ended
/// behind it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class BackendTopic {
    private final Supplier<BackendBench> benches;
    private final List<SandboxHandle> opened = new ArrayList<>();
    private Optional<SandboxHandle> own = Optional.empty();

    protected BackendTopic(Supplier<BackendBench> benches) {
        this.benches = benches;
    }

    @AfterEach
    final synchronized void closeAll() {
        try {
            opened.forEach(SandboxHandle::close);
        } finally {
            opened.clear();
            own = Optional.empty();
        }
    }

    protected final BackendBench bench() {
        return benches.get();
    }

    /// The test's own sandbox; the same for the whole test.
    protected final synchronized SandboxHandle sandbox() {
        if (own.isEmpty()) {
            own = Optional.of(create(bench().request()));
        }
        return own.get();
    }

    /// Another sandbox that is ended with the test.
    protected final synchronized SandboxHandle create(Requirements requirements) {
        SandboxHandle handle = bench().create(requirements);
        opened.add(handle);
        return handle;
    }

    protected final List<Language> languages() {
        return bench().languages();
    }

    protected final List<Language> otherLanguages() {
        return bench().otherLanguages();
    }

    protected final BackendBench.Ran run(Language language, GuestTask task) {
        return bench().run(sandbox(), language, task);
    }

    protected final BackendBench.Ran run(SandboxHandle in, Language language, GuestTask task) {
        return bench().run(in, language, task);
    }

    protected final BackendBench.Running startBeside(Language language, GuestTask task) {
        return BackendBench.startBeside(sandbox(), bench().spec(language, task));
    }

    protected static GuestPath path(String text) {
        return new GuestPath(text);
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    protected static Execution.ProcessSpec withLimits(Execution.ProcessSpec spec, ResourceLimits limits) {
        return new Execution.ProcessSpec(
                spec.arguments(), spec.code(), spec.environment(), spec.directory(), spec.takesInput(), limits);
    }

    protected static Execution.ProcessSpec withInput(Execution.ProcessSpec spec) {
        return new Execution.ProcessSpec(
                spec.arguments(), spec.code(), spec.environment(), spec.directory(), true, spec.limits());
    }

    protected static ResourceLimits wall(Duration wall) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new ResourceLimits(wall, d.cpuTime(), d.memoryBytes(), d.outputBytes(), d.diskBytes(), d.fileCount());
    }

    protected static ResourceLimits cpu(Duration cpu) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new ResourceLimits(d.wallTime(), cpu, d.memoryBytes(), d.outputBytes(), d.diskBytes(), d.fileCount());
    }

    protected static ResourceLimits memory(long bytes) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new ResourceLimits(d.wallTime(), d.cpuTime(), bytes, d.outputBytes(), d.diskBytes(), d.fileCount());
    }

    protected static ResourceLimits output(long bytes) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new ResourceLimits(d.wallTime(), d.cpuTime(), d.memoryBytes(), bytes, d.diskBytes(), d.fileCount());
    }

    protected static ResourceLimits disk(long bytes, int files) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new ResourceLimits(d.wallTime(), d.cpuTime(), d.memoryBytes(), d.outputBytes(), bytes, files);
    }
}
