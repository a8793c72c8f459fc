package dev.glovebox.engine;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A one-shot run: a sandbox for one program, wiped when it has ended. It is never in the store, because it never
/// outlives the call that made it. Thread-safe.
final class RunAction {
    private static final ProcessId ONLY_PROCESS = new ProcessId(1);
    private static final ContextId ONLY_CONTEXT = new ContextId("c1");

    private final Engine.Parts parts;
    private final NetworkActions networks;

    private final Wiping wiping = new Wiping();

    RunAction(Engine.Parts parts, NetworkActions networks) {
        this.parts = parts;
        this.networks = networks;
    }

    RunSpec.Report run(TenantId tenant, RunSpec spec, ExecutionSink sink, long intent) {
        Policy policy = parts.policies().of(tenant);
        Language language = spec.code().language();
        String text = language == Language.WASM ? "" : new String(spec.code().content(), StandardCharsets.UTF_8);
        TierChoice choice =
                TierChoice.ofRun(spec, text, policy, parts.backends().here());
        parts.quotas().takeRun(tenant);
        SandboxId id = SandboxId.random(parts.random());
        parts.network().owners().begin(id, tenant);
        SandboxHandle handle;
        try {
            handle = create(id, tenant, spec, choice, policy);
        } catch (RuntimeException | Error failure) {
            giveBack(id, tenant);
            throw failure;
        }
        try {
            networks.begin(id, tenant, spec.network(), handle);
            spec.files().forEach((path, content) -> handle.write(path, ByteSource.of(content)));
            Execution.Result result = spec.capture() ? evaluate(handle, spec, text, sink) : start(handle, spec, sink);
            parts.observer()
                    .ran(
                            choice.tier(),
                            language,
                            result.outcome(),
                            result.usage().wallTime(),
                            result.pooled());
            return new RunSpec.Report(choice.tier(), choice.reason(), result, fetch(handle, spec), intent);
        } finally {
            wiping.begin(() -> wipe(id, tenant, handle));
        }
    }

    /// The caller's place is free again when the sandbox is gone, and not before.
    private void wipe(SandboxId id, TenantId tenant, SandboxHandle handle) {
        networks.end(id);
        try {
            handle.close();
        } finally {
            giveBack(id, tenant);
        }
    }

    private void giveBack(SandboxId id, TenantId tenant) {
        parts.network().owners().end(id);
        parts.quotas().giveRun(tenant);
    }

    /// Waits until every sandbox is wiped.
    void awaitWiped() {
        wiping.await();
    }

    private SandboxHandle create(SandboxId id, TenantId tenant, RunSpec spec, TierChoice choice, Policy policy) {
        return parts.backends()
                .of(choice.tier())
                .create(new Requirements(
                        id,
                        tenant,
                        choice.tier(),
                        spec.code().language(),
                        spec.template(),
                        spec.limits(),
                        spec.environment(),
                        NetworkActions.grant(parts.network(), tenant, spec.network()),
                        policy.cellPerSandbox()));
    }

    private static Execution.Result start(SandboxHandle handle, RunSpec spec, ExecutionSink sink) {
        List<String> arguments = new ArrayList<>();
        arguments.add(spec.code().fileName());
        arguments.addAll(spec.arguments());
        boolean takesInput = spec.input().length > 0;
        Execution.ProcessSpec process = new Execution.ProcessSpec(
                arguments, Optional.of(spec.code()), Map.of(), GuestPath.HOME, takesInput, spec.limits());
        if (!takesInput) {
            return handle.start(ONLY_PROCESS, process, sink);
        }
        return handle.start(ONLY_PROCESS, process, new InputFeeder(handle, spec.input(), sink));
    }

    private static Execution.Result evaluate(SandboxHandle handle, RunSpec spec, String code, ExecutionSink sink) {
        handle.openContext(ONLY_CONTEXT, spec.code().language(), GuestPath.HOME);
        return handle.execute(ONLY_CONTEXT, code, Map.of(), spec.limits(), sink);
    }

    private static Map<GuestPath, byte[]> fetch(SandboxHandle handle, RunSpec spec) {
        Map<GuestPath, byte[]> files = new LinkedHashMap<>();
        long rest = Limits.BUFFERED_OUTPUT_BYTES_MAX;
        for (GuestPath path : spec.fetch()) {
            try {
                byte[] content = read(handle, path, rest);
                rest -= content.length;
                files.put(path, content);
            } catch (GloveboxException failure) {
                // What cannot be read must not cost the caller the report of a run that happened.
                boolean isNoFile = failure.code() == ErrorCode.FILE_NOT_FOUND
                        || failure.code() == ErrorCode.WRONG_FILE_TYPE
                        || failure.code() == ErrorCode.BACKEND_LOST;
                if (!isNoFile) {
                    throw failure;
                }
            }
        }
        return files;
    }

    private static byte[] read(SandboxHandle handle, GuestPath path, long bound) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        handle.read(path, bytes -> {
            if (content.size() + (long) bytes.length > bound) {
                throw new GloveboxException(
                        ErrorCode.TOO_LARGE,
                        "the files asked for have more than " + Limits.BUFFERED_OUTPUT_BYTES_MAX
                                + " bytes together: make a sandbox and read them one by one");
            }
            content.writeBytes(bytes);
        });
        return content.toByteArray();
    }
}
