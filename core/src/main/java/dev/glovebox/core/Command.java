package dev.glovebox.core;

import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Everything that can be asked of Glovebox, whoever asks and however. There is one way to have any of it done: the
/// engine's `execute`. `R` is the type of the answer.
public sealed interface Command<R> {

    /// The answer of commands that only succeed or fail.
    record Done() {
        public static final Done DONE = new Done();
    }

    /// What the audit log calls this command: `sandbox.create`.
    String verb();

    /// A command about one sandbox. Another tenant's sandbox and one that does not exist are refused in the same words.
    sealed interface OnSandbox<R> extends Command<R> {
        SandboxId sandbox();
    }

    // ---- one-shot runs and sandboxes

    record Run(RunSpec spec) implements Command<RunSpec.Report> {
        @Override
        public String verb() {
            return "run";
        }
    }

    record CreateSandbox(SandboxSpec spec) implements Command<Sandbox> {
        @Override
        public String verb() {
            return "sandbox.create";
        }
    }

    record GetSandbox(SandboxId sandbox) implements OnSandbox<Sandbox> {
        @Override
        public String verb() {
            return "sandbox.get";
        }
    }

    /// Newest first. All of `metadata` must match; `cursor` is the `next` of the page before.
    record ListSandboxes(Map<String, String> metadata, int pageSize, Optional<String> cursor)
            implements Command<Page<Sandbox>> {
        public ListSandboxes {
            metadata = Map.copyOf(metadata);
            Requests.checkMetadata(metadata);
            if (pageSize < 1 || pageSize > Limits.PAGE_SIZE_MAX) {
                throw new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a page size of " + pageSize + " is outside 1.." + Limits.PAGE_SIZE_MAX);
            }
        }

        @Override
        public String verb() {
            return "sandbox.list";
        }
    }

    /// The lease ends `lease` from now, sooner or later than before.
    record ExtendLease(SandboxId sandbox, Duration lease) implements OnSandbox<Sandbox> {
        public ExtendLease {
            SandboxSpec.checkLease(lease);
        }

        @Override
        public String verb() {
            return "sandbox.extend";
        }
    }

    /// What the sandbox uses now.
    record MeasureSandbox(SandboxId sandbox) implements OnSandbox<SandboxUsage> {
        @Override
        public String verb() {
            return "sandbox.measure";
        }
    }

    record KillSandbox(SandboxId sandbox) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "sandbox.kill";
        }
    }

    // ---- processes

    /// Starts a process and answers when it has ended; the sink gets its id first and its output as it comes.
    record StartProcess(SandboxId sandbox, Execution.ProcessSpec spec) implements OnSandbox<Execution.Result> {
        @Override
        public String verb() {
            return "process.start";
        }
    }

    /// `end` closes the standard input after the bytes.
    record WriteInput(SandboxId sandbox, ProcessId process, byte[] bytes, boolean end) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "process.input";
        }
    }

    /// Signals as Linux numbers them; tiers without signals understand 2 (interrupt), 15 and 9 (end).
    record SignalProcess(SandboxId sandbox, ProcessId process, int signal) implements OnSandbox<Done> {
        public SignalProcess {
            if (signal < 1 || signal > 64) {
                throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "signal " + signal + " is outside 1..64");
            }
        }

        @Override
        public String verb() {
            return "process.signal";
        }
    }

    /// For a process with a terminal.
    record ResizeTerminal(SandboxId sandbox, ProcessId process, TerminalSize size) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "process.resize";
        }
    }

    record ListProcesses(SandboxId sandbox) implements OnSandbox<List<ProcessEntry>> {
        @Override
        public String verb() {
            return "process.list";
        }
    }

    // ---- files

    record StatFile(SandboxId sandbox, GuestPath path, FileAccess access) implements OnSandbox<FileEntry> {
        public StatFile(SandboxId sandbox, GuestPath path) {
            this(sandbox, path, FileAccess.DEFAULT);
        }

        @Override
        public String verb() {
            return "file.stat";
        }
    }

    /// Entries below a directory, `depth` levels deep, in the order of their paths.
    record ListDirectory(SandboxId sandbox, GuestPath path, FileAccess access, int depth)
            implements OnSandbox<List<FileEntry>> {
        public ListDirectory {
            if (depth < 1 || depth > Limits.DIRECTORY_DEPTH_MAX) {
                throw new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a depth of " + depth + " is outside 1.." + Limits.DIRECTORY_DEPTH_MAX);
            }
        }

        public ListDirectory(SandboxId sandbox, GuestPath path, int depth) {
            this(sandbox, path, FileAccess.DEFAULT, depth);
        }

        @Override
        public String verb() {
            return "file.list";
        }
    }

    /// Hands the content of a file, or a part of it, to the sink.
    ///
    /// @param offset where to begin
    /// @param length how much; -1: to the end
    record ReadFile(SandboxId sandbox, GuestPath path, FileAccess access, long offset, long length, ByteSink content)
            implements OnSandbox<FileEntry> {
        public ReadFile {
            if (offset < 0 || length < -1) {
                throw new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a file is read from " + offset + " on, " + length + " bytes: neither may be negative");
            }
        }

        /// The whole file.
        public ReadFile(SandboxId sandbox, GuestPath path, ByteSink content) {
            this(sandbox, path, FileAccess.DEFAULT, 0, -1, content);
        }

        @Override
        public String verb() {
            return "file.read";
        }
    }

    /// Replaces or makes a file, its parent directories too.
    ///
    /// @param attributes its extended attributes, by names that begin with `user.`; those that it had are gone
    record WriteFile(
            SandboxId sandbox, GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content)
            implements OnSandbox<FileEntry> {
        public WriteFile {
            attributes = Map.copyOf(attributes);
            Requests.checkAttributes(attributes);
        }

        public WriteFile(SandboxId sandbox, GuestPath path, ByteSource content) {
            this(sandbox, path, FileAccess.DEFAULT, Map.of(), content);
        }

        @Override
        public String verb() {
            return "file.write";
        }
    }

    record MakeDirectory(SandboxId sandbox, GuestPath path, FileAccess access) implements OnSandbox<FileEntry> {
        public MakeDirectory(SandboxId sandbox, GuestPath path) {
            this(sandbox, path, FileAccess.DEFAULT);
        }

        @Override
        public String verb() {
            return "file.mkdir";
        }
    }

    record MoveFile(SandboxId sandbox, GuestPath from, FileAccess access, GuestPath to)
            implements OnSandbox<FileEntry> {
        public MoveFile(SandboxId sandbox, GuestPath from, GuestPath to) {
            this(sandbox, from, FileAccess.DEFAULT, to);
        }

        @Override
        public String verb() {
            return "file.move";
        }
    }

    /// Removes a file, or a directory with all in it.
    record RemoveFile(SandboxId sandbox, GuestPath path, FileAccess access) implements OnSandbox<Done> {
        public RemoveFile(SandboxId sandbox, GuestPath path) {
            this(sandbox, path, FileAccess.DEFAULT);
        }

        @Override
        public String verb() {
            return "file.remove";
        }
    }

    /// Tells the sink what happens in a directory; answers when it is gone. Ends too when the calling thread is
    /// interrupted.
    ///
    /// @param recursive also all that is below it, and what is made there later
    record WatchDirectory(SandboxId sandbox, GuestPath path, FileAccess access, boolean recursive, WatchSink sink)
            implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "file.watch";
        }
    }

    // ---- code interpreter contexts

    record OpenContext(SandboxId sandbox, Language language, GuestPath directory) implements OnSandbox<CodeContext> {
        @Override
        public String verb() {
            return "context.open";
        }
    }

    record ListContexts(SandboxId sandbox) implements OnSandbox<List<CodeContext>> {
        @Override
        public String verb() {
            return "context.list";
        }
    }

    record Execute(
            SandboxId sandbox, ContextId context, String code, Map<String, String> environment, ResourceLimits limits)
            implements OnSandbox<Execution.Result> {
        public Execute {
            environment = Map.copyOf(environment);
            Requests.checkEnvironment(environment);
            if (code.length() > Limits.CODE_BYTES_MAX) {
                throw new GloveboxException(
                        ErrorCode.TOO_LARGE,
                        "the code has " + code.length() + " characters; the bound is " + Limits.CODE_BYTES_MAX);
            }
        }

        @Override
        public String verb() {
            return "context.execute";
        }
    }

    /// Gives a context a fresh interpreter under its old id; what ran in it ends.
    record RestartContext(SandboxId sandbox, ContextId context) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "context.restart";
        }
    }

    record InterruptContext(SandboxId sandbox, ContextId context) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "context.interrupt";
        }
    }

    record CloseContext(SandboxId sandbox, ContextId context) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "context.close";
        }
    }

    // ---- ports

    /// Connects `peer` to a TCP port inside, and answers when both directions are over. Nothing but the sandbox itself
    /// is reached that way.
    record ConnectPort(SandboxId sandbox, int port, PortPeer peer) implements OnSandbox<Done> {
        /// The largest number that TCP has room for.
        public static final int PORT_MAX = 65_535;

        public ConnectPort {
            if (port < 1 || port > PORT_MAX) {
                throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "port " + port + " is outside 1.." + PORT_MAX);
            }
        }

        @Override
        public String verb() {
            return "port.connect";
        }
    }

    // ---- network

    /// Other rules for its network, all at once; connections that they do not allow are cut.
    record ReplaceNetwork(SandboxId sandbox, NetworkPolicy policy) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "network.replace";
        }
    }

    /// What holds, and what happened.
    record InspectNetwork(SandboxId sandbox) implements OnSandbox<NetworkView> {
        @Override
        public String verb() {
            return "network.get";
        }
    }

    /// Keeps a secret of the tenant's, or replaces the one of that name. Nobody can read it back.
    record PutSecret(SecretName name, List<HostPattern> hosts, SecretValue value) implements Command<Secret> {
        public PutSecret {
            hosts = List.copyOf(hosts);
            Secret.checkHosts(name, hosts);
        }

        @Override
        public String verb() {
            return "secret.put";
        }
    }

    /// By name.
    record ListSecrets() implements Command<List<Secret>> {
        @Override
        public String verb() {
            return "secret.list";
        }
    }

    record RemoveSecret(SecretName name) implements Command<Done> {
        @Override
        public String verb() {
            return "secret.remove";
        }
    }

    // ---- tunnels (administrators)

    /// Defines a tunnel for a tenant's sandboxes, or replaces the one of that name; those that use it follow at
    /// once.
    record PutTunnel(TenantId tenant, Tunnel tunnel) implements Command<Tunnel> {
        @Override
        public String verb() {
            return "tunnel.put";
        }
    }

    /// By name.
    record ListTunnels(TenantId tenant) implements Command<List<Tunnel>> {
        @Override
        public String verb() {
            return "tunnel.list";
        }
    }

    /// Connections through it are cut.
    record RemoveTunnel(TenantId tenant, TunnelName name) implements Command<Done> {
        @Override
        public String verb() {
            return "tunnel.remove";
        }
    }

    // ---- keys (administrators)

    /// The answer holds the key itself, which is told this once.
    record CreateKey(TenantId tenant, Principal.Role role, String label) implements Command<NewKey> {
        @Override
        public String verb() {
            return "key.create";
        }
    }

    record ListKeys() implements Command<List<ApiKey>> {
        @Override
        public String verb() {
            return "key.list";
        }
    }

    record RevokeKey(String id) implements Command<Done> {
        @Override
        public String verb() {
            return "key.revoke";
        }
    }

    /// A new key with its secret.
    record NewKey(ApiKey key, String secret) {
        /// Never the secret.
        @Override
        public String toString() {
            return "NewKey[" + key.id() + "]";
        }
    }

    /// A sandbox's network at a moment.
    record NetworkView(NetworkPolicy policy, NetworkUsage usage) {}

    /// A process that runs.
    record ProcessEntry(ProcessId id, String program, java.time.Instant startedAt) {}

    /// An open code interpreter context.
    record CodeContext(ContextId id, Language language, GuestPath directory) {}
}
