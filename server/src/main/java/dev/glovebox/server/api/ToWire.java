package dev.glovebox.server.api;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.Command;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.WatchEvent;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.sdk.Contents;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.CommandEntry;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.ContextResponse;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.FileResponse;
import dev.glovebox.wire.api.KeyResponse;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkUsageReport;
import dev.glovebox.wire.api.OutcomeReport;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.SandboxResponse;
import dev.glovebox.wire.api.SandboxUsageResponse;
import dev.glovebox.wire.api.TierResponse;
import dev.glovebox.wire.api.UsageReport;
import dev.glovebox.wire.api.WatchEventResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The core's answers as the records that a caller sees.
public final class ToWire {
    private ToWire() {}

    /// A run's report.
    ///
    /// @param output what was collected; empty if it was streamed
    public static RunResponse run(RunSpec.Report report, CollectedOutput output) {
        Map<String, Content> files = new TreeMap<>();
        report.files().forEach((path, bytes) -> files.put(path.value(), Contents.of(bytes)));
        Text stdout = Text.of(output.stdout());
        Text stderr = Text.of(output.stderr());
        return new RunResponse(
                report.tier().word(),
                report.tierReason(),
                outcome(report.result().outcome()),
                stdout.text(),
                stdout.base64(),
                stderr.text(),
                stderr.base64(),
                output.results(),
                error(report.result().error()),
                files,
                usage(report.result()),
                report.auditId());
    }

    static ExecutionResponse execution(Execution.Result result, CollectedOutput output) {
        Text stdout = Text.of(output.stdout());
        Text stderr = Text.of(output.stderr());
        return new ExecutionResponse(
                outcome(result.outcome()),
                stdout.text(),
                stdout.base64(),
                stderr.text(),
                stderr.base64(),
                output.results(),
                error(result.error()),
                usage(result));
    }

    static NetworkResponse network(Command.NetworkView view) {
        NetworkUsage usage = view.usage();
        return new NetworkResponse(
                NetworkPolicies.rules(view.policy()),
                new NetworkUsageReport(usage.open(), usage.allowed(), usage.denied(), usage.sent(), usage.received()));
    }

    static OutcomeReport outcome(Outcome outcome) {
        Long limitMillis = null;
        String clock = null;
        Long limitBytes = null;
        String rule = null;
        switch (outcome) {
            case Outcome.TimedOut timedOut -> {
                limitMillis = timedOut.limit().toMillis();
                clock = timedOut.clock().name().toLowerCase(Locale.ROOT);
            }
            case Outcome.OutOfMemory outOfMemory -> limitBytes = outOfMemory.limitBytes();
            case Outcome.KilledByPolicy killed -> rule = killed.rule();
            case Outcome.Exited _, Outcome.Killed _, Outcome.BackendLost _ -> {}
        }
        return new OutcomeReport(
                outcome.word(), outcome.exitStatus(), outcome.sentence(), limitMillis, clock, limitBytes, rule);
    }

    public static RichResult result(MimeBundle bundle) {
        return new RichResult(bundle.main(), bundle.data());
    }

    private static @Nullable CodeError error(Optional<ExecutionError> error) {
        return error.map(e -> new CodeError(e.name(), e.value(), e.traceback())).orElse(null);
    }

    private static UsageReport usage(Execution.Result result) {
        return new UsageReport(
                result.usage().wallTime().toNanos() / 1000,
                result.usage().cpuTime().toNanos() / 1000,
                result.usage().memoryPeakBytes(),
                result.usage().outputBytes(),
                result.pooled());
    }

    static SandboxResponse sandbox(Sandbox sandbox) {
        return new SandboxResponse(
                sandbox.id().value(),
                sandbox.tier().word(),
                sandbox.tierReason(),
                sandbox.language().word(),
                sandbox.template(),
                sandbox.state().word(),
                stopReason(sandbox.state()).map(ToWire::word).orElse(null),
                sandbox.createdAt().toString(),
                sandbox.expiresAt().toString(),
                limits(sandbox.limits()),
                sandbox.metadata());
    }

    private static Optional<StopReason> stopReason(SandboxState state) {
        return switch (state) {
            case SandboxState.Killing killing -> Optional.of(killing.reason());
            case SandboxState.Dead dead -> Optional.of(dead.reason());
            case SandboxState.Creating _,
                    SandboxState.Running _,
                    SandboxState.Pausing _,
                    SandboxState.Paused _,
                    SandboxState.Resuming _ -> Optional.empty();
        };
    }

    private static LimitSet limits(ResourceLimits limits) {
        return new LimitSet(
                limits.wallTime().toMillis(),
                limits.cpuTime().toMillis(),
                limits.memoryBytes(),
                limits.outputBytes(),
                limits.diskBytes(),
                limits.fileCount());
    }

    static FileResponse file(FileEntry entry) {
        return new FileResponse(
                entry.path(),
                word(entry.type()),
                entry.sizeBytes(),
                entry.mode(),
                entry.modified().toString(),
                entry.linkTarget(),
                entry.owner(),
                entry.group());
    }

    static SandboxUsageResponse usage(SandboxUsage usage) {
        return new SandboxUsageResponse(
                usage.cpuTime().toNanos() / 1000,
                usage.memoryBytes(),
                usage.memoryBytesMax(),
                usage.diskBytes(),
                usage.diskBytesMax(),
                usage.fileCount(),
                usage.fileCountMax());
    }

    static WatchEventResponse watchEvent(WatchEvent event) {
        return new WatchEventResponse(
                word(event.kind()),
                event.path(),
                event.isDirectory(),
                event.target().isEmpty() ? null : event.target());
    }

    static CommandEntry process(Command.ProcessEntry entry) {
        return new CommandEntry(
                entry.id().value(), entry.program(), entry.startedAt().toString());
    }

    static ContextResponse context(Command.CodeContext context) {
        return new ContextResponse(
                context.id().value(),
                context.language().word(),
                context.directory().value());
    }

    static KeyResponse key(ApiKey key, @Nullable String secret) {
        return new KeyResponse(
                key.id(),
                key.tenant().value(),
                word(key.role()),
                key.label(),
                key.createdAt().toString(),
                secret);
    }

    public static TierResponse tier(TierStatus status) {
        return new TierResponse(status.tier().word(), status.available(), status.why(), status.remedy());
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /// Output as text, and its exact bytes if the text does not show them.
    private record Text(String text, @Nullable String base64) {
        static Text of(byte[] bytes) {
            Content content = Contents.of(bytes);
            return content.text() != null
                    ? new Text(content.text(), null)
                    : new Text(new String(bytes, StandardCharsets.UTF_8), content.base64());
        }
    }
}
