package dev.glovebox.core;

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

    record ListProcesses(SandboxId sandbox) implements OnSandbox<List<ProcessEntry>> {
        @Override
        public String verb() {
            return "process.list";
        }
    }

    // ---- files

    record StatFile(SandboxId sandbox, GuestPath path) implements OnSandbox<FileEntry> {
        @Override
        public String verb() {
            return "file.stat";
        }
    }

    /// Entries below a directory, `depth` levels deep, in the order of their paths.
    record ListDirectory(SandboxId sandbox, GuestPath path, int depth) implements OnSandbox<List<FileEntry>> {
        public ListDirectory {
            if (depth < 1 || depth > Limits.DIRECTORY_DEPTH_MAX) {
                throw new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a depth of " + depth + " is outside 1.." + Limits.DIRECTORY_DEPTH_MAX);
            }
        }

        @Override
        public String verb() {
            return "file.list";
        }
    }

    record ReadFile(SandboxId sandbox, GuestPath path, ByteSink content) implements OnSandbox<FileEntry> {
        @Override
        public String verb() {
            return "file.read";
        }
    }

    /// Replaces or makes a file, its parent directories too.
    record WriteFile(SandboxId sandbox, GuestPath path, ByteSource content) implements OnSandbox<FileEntry> {
        @Override
        public String verb() {
            return "file.write";
        }
    }

    record MakeDirectory(SandboxId sandbox, GuestPath path) implements OnSandbox<FileEntry> {
        @Override
        public String verb() {
            return "file.mkdir";
        }
    }

    record MoveFile(SandboxId sandbox, GuestPath from, GuestPath to) implements OnSandbox<FileEntry> {
        @Override
        public String verb() {
            return "file.move";
        }
    }

    /// Removes a file, or a directory with all in it.
    record RemoveFile(SandboxId sandbox, GuestPath path) implements OnSandbox<Done> {
        @Override
        public String verb() {
            return "file.remove";
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

    /// A process that runs.
    record ProcessEntry(ProcessId id, String program, java.time.Instant startedAt) {}

    /// An open code interpreter context.
    record CodeContext(ContextId id, Language language, GuestPath directory) {}
}
