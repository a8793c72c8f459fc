package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.audit.AuditLog;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// Turns commands and their answers into audit events. What a guest or a caller wrote is recorded by length and hash,
/// so that the log proves what ran without repeating secrets that may be in it. Thread-safe.
final class AuditTrail {
    /// Longer texts in details are cut: a record has a bound, and the hash tells the rest.
    private static final int DETAIL_CHARS_MAX = 256;

    /// Stands for the number of an intent that is not in the log.
    private static final long UNRECORDED = 0;

    private final AuditLog log;
    private final Clock clock;

    AuditTrail(AuditLog log, Clock clock) {
        this.log = log;
        this.clock = clock;
    }

    /// Records what is about to be done; on the disk when it returns, if the command has an effect.
    long intent(Principal principal, Command<?> command) {
        if (isMeasurement(command)) {
            return UNRECORDED;
        }
        AuditEvent event = new AuditEvent(
                clock.instant(),
                AuditEvent.Kind.INTENT,
                0,
                principal,
                command.verb(),
                subject(command),
                describe(command));
        return hasEffect(command) ? log.appendDurably(event) : log.append(event);
    }

    /// A measurement changes nothing and reveals nothing of a guest's data, and one is taken of every sandbox every few
    /// seconds: in the log they would only bury what matters. A refused one is recorded.
    private static boolean isMeasurement(Command<?> command) {
        return command instanceof Command.MeasureSandbox;
    }

    void outcome(Principal principal, Command<?> command, long intent, Object answer) {
        if (intent == UNRECORDED) {
            return;
        }
        append(AuditEvent.Kind.OUTCOME, intent, principal, command, describeAnswer(answer));
    }

    void failure(Principal principal, Command<?> command, long intent, Throwable failure) {
        if (intent == UNRECORDED) {
            return;
        }
        append(AuditEvent.Kind.OUTCOME, intent, principal, command, describeFailure(failure));
    }

    void refusal(Principal principal, Command<?> command, GloveboxException refusal) {
        append(AuditEvent.Kind.REFUSAL, 0, principal, command, describeFailure(refusal));
    }

    /// Records something that nobody asked for.
    void notice(Principal principal, String verb, String subject, String why) {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        details.put("why", cut(why));
        log.append(new AuditEvent(clock.instant(), AuditEvent.Kind.NOTICE, 0, principal, verb, subject, details));
    }

    /// Whether a command changes anything or reveals a guest's data. The others only look at what Glovebox knows.
    private static boolean hasEffect(Command<?> command) {
        return switch (command) {
            case Command.GetSandbox _,
                    Command.ListSandboxes _,
                    Command.ListProcesses _,
                    Command.ListContexts _,
                    Command.ListKeys _,
                    Command.InspectNetwork _,
                    Command.ListSecrets _,
                    Command.ListTunnels _,
                    Command.MeasureSandbox _,
                    Command.StatFile _,
                    Command.ListDirectory _ -> false;
            default -> true;
        };
    }

    private void append(
            AuditEvent.Kind kind,
            long intent,
            Principal principal,
            Command<?> command,
            SequencedMap<String, String> details) {
        log.append(new AuditEvent(clock.instant(), kind, intent, principal, command.verb(), subject(command), details));
    }

    private static String subject(Command<?> command) {
        return command instanceof Command.OnSandbox<?> onSandbox
                ? onSandbox.sandbox().value()
                : "";
    }

    private static SequencedMap<String, String> describe(Command<?> command) {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        switch (command) {
            case Command.Run(RunSpec spec) -> describeRun(spec, details);
            case Command.CreateSandbox create -> describeSandbox(create.spec(), details);
            case Command.ExtendLease extend ->
                details.put("lease", extend.lease().toSeconds() + " s");
            case Command.StartProcess start -> describeProcess(start.spec(), details);
            case Command.WriteInput input -> {
                details.put("process", input.process().toString());
                details.put("bytes", Integer.toString(input.bytes().length));
            }
            case Command.SignalProcess signal -> {
                details.put("process", signal.process().toString());
                details.put("signal", Integer.toString(signal.signal()));
            }
            case Command.ResizeTerminal resize ->
                details.put("process", resize.process().toString());
            case Command.StatFile _,
                    Command.ListDirectory _,
                    Command.ReadFile _,
                    Command.WriteFile _,
                    Command.MakeDirectory _,
                    Command.RemoveFile _,
                    Command.MoveFile _,
                    Command.WatchDirectory _ -> describeFile(command, details);
            case Command.OpenContext open ->
                details.put("language", open.language().word());
            case Command.Execute execute -> {
                details.put("context", execute.context().value());
                describeCode(execute.code().getBytes(StandardCharsets.UTF_8), details);
            }
            case Command.RestartContext restart ->
                details.put("context", restart.context().value());
            case Command.InterruptContext interrupt ->
                details.put("context", interrupt.context().value());
            case Command.CloseContext close ->
                details.put("context", close.context().value());
            case Command.ConnectPort connect -> details.put("port", Integer.toString(connect.port()));
            case Command.ReplaceNetwork _,
                    Command.PutSecret _,
                    Command.RemoveSecret _,
                    Command.PutTunnel _,
                    Command.ListTunnels _,
                    Command.RemoveTunnel _ -> NetworkDetails.describe(command, details);
            case Command.CreateKey create -> {
                details.put("tenant", create.tenant().value());
                details.put("role", create.role().name());
                details.put("label", cut(create.label()));
            }
            case Command.RevokeKey revoke -> details.put("key", cut(revoke.id()));
            case Command.GetSandbox _,
                    Command.ListSandboxes _,
                    Command.MeasureSandbox _,
                    Command.KillSandbox _,
                    Command.ListProcesses _,
                    Command.ListContexts _,
                    Command.ListKeys _,
                    Command.InspectNetwork _,
                    Command.ListSecrets _ -> {}
        }
        return details;
    }

    private static void describeFile(Command<?> command, SequencedMap<String, String> details) {
        switch (command) {
            case Command.StatFile file -> details.put("path", cut(file.path().value()));
            case Command.ListDirectory file ->
                details.put("path", cut(file.path().value()));
            case Command.ReadFile file -> details.put("path", cut(file.path().value()));
            case Command.WriteFile file -> details.put("path", cut(file.path().value()));
            case Command.MakeDirectory file ->
                details.put("path", cut(file.path().value()));
            case Command.RemoveFile file -> details.put("path", cut(file.path().value()));
            case Command.MoveFile move -> {
                details.put("path", cut(move.from().value()));
                details.put("to", cut(move.to().value()));
            }
            case Command.WatchDirectory file ->
                details.put("path", cut(file.path().value()));
            default -> {}
        }
    }

    private static void describeSandbox(SandboxSpec spec, SequencedMap<String, String> details) {
        details.put("tier", spec.tier().map(tier -> tier.word()).orElse("auto"));
        details.put("language", spec.language().word());
        spec.template().ifPresent(template -> details.put("template", template));
        details.put("lease", spec.lease().toSeconds() + " s");
        NetworkDetails.describe(spec.network(), details);
        describeLimits(spec.limits(), details);
    }

    private static void describeRun(RunSpec spec, SequencedMap<String, String> details) {
        details.put("tier", spec.tier().map(tier -> tier.word()).orElse("auto"));
        details.put("language", spec.code().language().word());
        spec.template().ifPresent(template -> details.put("template", template));
        describeCode(spec.code().content(), details);
        if (!spec.files().isEmpty()) {
            details.put("files", Integer.toString(spec.files().size()));
        }
        NetworkDetails.describe(spec.network(), details);
        describeLimits(spec.limits(), details);
    }

    private static void describeProcess(Execution.ProcessSpec spec, SequencedMap<String, String> details) {
        spec.code().ifPresent(code -> {
            details.put("language", code.language().word());
            describeCode(code.content(), details);
        });
        if (!spec.arguments().isEmpty()) {
            String joined = String.join("\0", spec.arguments());
            details.put("program", cut(spec.arguments().getFirst()));
            details.put("argumentsSha256", sha256(joined.getBytes(StandardCharsets.UTF_8)));
        }
        spec.user().ifPresent(user -> details.put("user", user.name()));
        describeLimits(spec.limits(), details);
    }

    private static void describeCode(byte[] code, SequencedMap<String, String> details) {
        details.put("codeBytes", Integer.toString(code.length));
        details.put("codeSha256", sha256(code));
    }

    private static void describeLimits(ResourceLimits limits, SequencedMap<String, String> details) {
        details.put(
                "limits",
                "wall " + limits.wallTime().toMillis() + " ms, cpu "
                        + limits.cpuTime().toMillis() + " ms, memory "
                        + limits.memoryBytes() + ", output " + limits.outputBytes() + ", disk "
                        + limits.diskBytes());
    }

    private static SequencedMap<String, String> describeAnswer(Object answer) {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        switch (answer) {
            case RunSpec.Report report -> {
                details.put("tier", report.tier().word());
                describeResult(report.result(), details);
            }
            case Execution.Result result -> describeResult(result, details);
            case Sandbox sandbox -> {
                details.put("sandbox", sandbox.id().value());
                details.put("tier", sandbox.tier().word());
                details.put("state", sandbox.state().word());
            }
            case Command.NewKey key -> details.put("key", key.key().id());
            default -> details.put("result", "done");
        }
        return details;
    }

    private static void describeResult(Execution.Result result, SequencedMap<String, String> details) {
        details.put("outcome", result.outcome().word());
        details.put("exitStatus", Integer.toString(result.outcome().exitStatus()));
        details.put("wallMicros", Long.toString(result.usage().wallTime().toNanos() / 1000));
        details.put("outputBytes", Long.toString(result.usage().outputBytes()));
    }

    private static SequencedMap<String, String> describeFailure(Throwable failure) {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        if (failure instanceof GloveboxException refusal) {
            details.put("code", refusal.code().word());
            details.put("why", cut(String.valueOf(refusal.getMessage())));
        } else {
            details.put("code", "internal");
            details.put("why", failure.getClass().getName());
        }
        return details;
    }

    static String cut(String text) {
        return text.length() <= DETAIL_CHARS_MAX
                ? text
                : text.substring(0, DETAIL_CHARS_MAX) + "… (" + text.length() + " characters)";
    }

    /// Hash of what ran or was written, so that the log can be compared with it later.
    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }

    static {
        // A record of the longest details must fit; the store checks the whole.
        if (DETAIL_CHARS_MAX * 16 > Limits.AUDIT_RECORD_BYTES_MAX) {
            throw new IllegalStateException("details could outgrow a record");
        }
    }
}
