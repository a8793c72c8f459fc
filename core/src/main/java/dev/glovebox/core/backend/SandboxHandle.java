package dev.glovebox.core.backend;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import java.util.List;
import java.util.Map;

/// A sandbox that runs, as its backend sees it. Called by the engine only. Thread-safe; calls block. After [#close()]
/// or when the backend lost it, calls throw a GloveboxException BACKEND_LOST, and running processes end as such.
public interface SandboxHandle extends AutoCloseable {

    /// Starts a process under an id that the engine chose, and returns when it has ended. Tells the sink
    /// [ExecutionSink#started] once it takes input and signals. Interrupting the calling thread ends the process.
    Execution.Result start(ProcessId process, Execution.ProcessSpec spec, ExecutionSink sink);

    /// Blocks while the process does not read.
    void writeInput(ProcessId process, byte[] bytes, boolean end);

    void signal(ProcessId process, int signal);

    FileEntry stat(GuestPath path);

    List<FileEntry> list(GuestPath path, int depth);

    FileEntry read(GuestPath path, ByteSink content);

    FileEntry write(GuestPath path, ByteSource content);

    FileEntry makeDirectory(GuestPath path);

    FileEntry move(GuestPath from, GuestPath to);

    void remove(GuestPath path);

    void openContext(ContextId context, Language language, GuestPath directory);

    Execution.Result execute(
            ContextId context, String code, Map<String, String> environment, ResourceLimits limits, ExecutionSink sink);

    void interrupt(ContextId context);

    void closeContext(ContextId context);

    /// Connects the peer to a TCP port inside (a loopback address there), and returns when both directions are over or
    /// the peer has gone. Interrupting the calling thread breaks the connection off.
    ///
    /// @throws dev.glovebox.core.GloveboxException PORT_CLOSED or UNSUPPORTED; then the peer is left as it was
    void connect(int port, PortPeer peer);

    /// Runs `action` once when the backend loses the sandbox, with the reason in words; not after [#close()].
    void onLost(java.util.function.Consumer<String> action);

    /// Ends the sandbox with everything in it and returns when it is gone. Idempotent.
    @Override
    void close();
}
