package dev.glovebox.core.backend;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.WatchSink;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import java.util.List;
import java.util.Map;

/// A sandbox that runs, as its backend sees it. Called by the engine only. Thread-safe; calls block. After [#close()]
/// or when the backend lost it, calls throw a GloveboxException BACKEND_LOST, and running processes end as such.
public interface SandboxHandle extends AutoCloseable {

    /// Returns when the sandbox has answered for the first time; whatever else is asked of it waits for that too.
    ///
    /// @throws dev.glovebox.core.GloveboxException if it cannot be used; it must still be closed
    default void awaitReady() {}

    /// Starts a process under an id that the engine chose, and returns when it has ended. Tells the sink
    /// [ExecutionSink#started] once it takes input and signals. Interrupting the calling thread ends the process.
    Execution.Result start(ProcessId process, Execution.ProcessSpec spec, ExecutionSink sink);

    /// Blocks while the process does not read.
    void writeInput(ProcessId process, byte[] bytes, boolean end);

    void signal(ProcessId process, int signal);

    /// Gives a process' terminal another size.
    ///
    /// @throws dev.glovebox.core.GloveboxException UNSUPPORTED if it has none
    void resize(ProcessId process, TerminalSize size);

    FileEntry stat(GuestPath path, FileAccess access);

    List<FileEntry> list(GuestPath path, FileAccess access, int depth);

    /// Hands content to the sink.
    ///
    /// @param offset where to begin
    /// @param length how much; -1: to the end
    FileEntry read(GuestPath path, FileAccess access, long offset, long length, ByteSink content);

    FileEntry write(GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content);

    FileEntry makeDirectory(GuestPath path, FileAccess access);

    FileEntry move(GuestPath from, FileAccess access, GuestPath to);

    void remove(GuestPath path, FileAccess access);

    /// As the default user; so are the other calls about files without an access.
    default FileEntry stat(GuestPath path) {
        return stat(path, FileAccess.DEFAULT);
    }

    /// As [#list(GuestPath, FileAccess, int)].
    default List<FileEntry> list(GuestPath path, int depth) {
        return list(path, FileAccess.DEFAULT, depth);
    }

    /// The whole file.
    default FileEntry read(GuestPath path, ByteSink content) {
        return read(path, FileAccess.DEFAULT, 0, -1, content);
    }

    /// Without extended attributes.
    default FileEntry write(GuestPath path, ByteSource content) {
        return write(path, FileAccess.DEFAULT, Map.of(), content);
    }

    /// As [#makeDirectory(GuestPath, FileAccess)].
    default FileEntry makeDirectory(GuestPath path) {
        return makeDirectory(path, FileAccess.DEFAULT);
    }

    /// As [#move(GuestPath, FileAccess, GuestPath)].
    default FileEntry move(GuestPath from, GuestPath to) {
        return move(from, FileAccess.DEFAULT, to);
    }

    /// As [#remove(GuestPath, FileAccess)].
    default void remove(GuestPath path) {
        remove(path, FileAccess.DEFAULT);
    }

    /// Tells the sink what happens in a directory, until it is removed or the calling thread is interrupted.
    void watch(GuestPath path, FileAccess access, boolean recursive, WatchSink sink);

    SandboxUsage usage();

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

    /// Other rules for its network, all at once.
    ///
    /// @throws dev.glovebox.core.GloveboxException UNSUPPORTED if it has none
    /// @see dev.glovebox.core.egress.SandboxNetwork#replace
    void replaceNetwork(NetworkGrant grant);

    /// What its network did so far; nothing, if it has none.
    NetworkUsage networkUsage();

    /// Runs `action` once when the backend loses the sandbox, with the reason in words; not after [#close()].
    void onLost(java.util.function.Consumer<String> action);

    /// Ends the sandbox with everything in it and returns when it is gone. Idempotent.
    @Override
    void close();
}
