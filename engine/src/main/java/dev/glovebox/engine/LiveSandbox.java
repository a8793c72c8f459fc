package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// A sandbox that this server runs: what is known of it, its handle, and what is under way in it. Control calls on one
/// sandbox exclude each other by [#control]; processes and file calls run side by side. Thread-safe.
final class LiveSandbox {
    /// Held for a whole control call (kill, extend), so that each sees the state that the one before left.
    final ReentrantLock control = new ReentrantLock();

    private final SandboxHandle handle;
    private final Object lock = new Object();
    private final Map<ProcessId, Command.ProcessEntry> processes = new LinkedHashMap<>();
    private final Map<ContextId, Command.CodeContext> contexts = new LinkedHashMap<>();
    private Sandbox sandbox;
    private NetworkPolicy network;
    private long processesStarted;
    private long contextsOpened;
    private int portConnections;
    private int watches;

    LiveSandbox(Sandbox sandbox, NetworkPolicy network, SandboxHandle handle) {
        this.sandbox = sandbox;
        this.network = network;
        this.handle = handle;
    }

    Sandbox sandbox() {
        synchronized (lock) {
            return sandbox;
        }
    }

    /// The rules that hold for its network.
    NetworkPolicy network() {
        synchronized (lock) {
            return network;
        }
    }

    /// Takes note of rules that hold from now on.
    void network(NetworkPolicy policy) {
        synchronized (lock) {
            network = policy;
        }
    }

    /// Replaces what is known. Refuses a state that the present one cannot become.
    Sandbox update(UnaryOperator<Sandbox> change) {
        synchronized (lock) {
            Sandbox next = change.apply(sandbox);
            boolean sameState = next.state().equals(sandbox.state());
            if (!sameState && !sandbox.state().mayBecome(next.state())) {
                throw new GloveboxException(
                        ErrorCode.WRONG_STATE,
                        "sandbox " + sandbox.id() + " is " + sandbox.state().word() + " and cannot become "
                                + next.state().word());
            }
            sandbox = next;
            return next;
        }
    }

    /// The handle, for work inside the sandbox.
    ///
    /// @throws GloveboxException SANDBOX_NOT_FOUND if it ends just now, WRONG_STATE if it does not run otherwise
    SandboxHandle handle() {
        Sandbox now = sandbox();
        return switch (now.state()) {
            case SandboxState.Running _ -> handle;
            case SandboxState.Killing _, SandboxState.Dead _ -> throw SandboxActions.notFound(now.id());
            case SandboxState.Creating _, SandboxState.Pausing _, SandboxState.Paused _, SandboxState.Resuming _ ->
                throw new GloveboxException(
                        ErrorCode.WRONG_STATE,
                        "sandbox " + now.id() + " is " + now.state().word() + ", not running");
        };
    }

    /// The handle whatever the state, to end it.
    SandboxHandle handleToClose() {
        return handle;
    }

    ProcessId beginProcess(String program, Instant now) {
        synchronized (lock) {
            if (processes.size() >= Limits.PROCESSES_PER_SANDBOX_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "sandbox " + sandbox.id() + " already runs " + processes.size()
                                + " processes, its bound: wait for one or end one");
            }
            processesStarted++;
            ProcessId id = new ProcessId(processesStarted);
            processes.put(id, new Command.ProcessEntry(id, program, now));
            return id;
        }
    }

    void endProcess(ProcessId id) {
        synchronized (lock) {
            processes.remove(id);
        }
    }

    List<Command.ProcessEntry> processes() {
        synchronized (lock) {
            return new ArrayList<>(processes.values());
        }
    }

    void checkProcess(ProcessId id) {
        synchronized (lock) {
            if (!processes.containsKey(id)) {
                throw new GloveboxException(
                        ErrorCode.PROCESS_NOT_FOUND, "sandbox " + sandbox.id() + " runs no process " + id);
            }
        }
    }

    void beginPortConnection() {
        synchronized (lock) {
            if (portConnections >= Limits.PORT_CONNECTIONS_PER_SANDBOX_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "sandbox " + sandbox.id() + " already has " + portConnections
                                + " open connections to its ports, its bound: close one");
            }
            portConnections++;
        }
    }

    void endPortConnection() {
        synchronized (lock) {
            portConnections--;
        }
    }

    void beginWatch() {
        synchronized (lock) {
            if (watches >= Limits.WATCHES_PER_SANDBOX_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "sandbox " + sandbox.id() + " already has " + watches
                                + " directories watched, its bound: end a watch");
            }
            watches++;
        }
    }

    void endWatch() {
        synchronized (lock) {
            watches--;
        }
    }

    Command.CodeContext beginContext(Language language, GuestPath directory) {
        synchronized (lock) {
            if (contexts.size() >= Limits.CONTEXTS_PER_SANDBOX_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "sandbox " + sandbox.id() + " already has " + contexts.size()
                                + " open contexts, its bound: close one");
            }
            contextsOpened++;
            Command.CodeContext context =
                    new Command.CodeContext(new ContextId("c" + contextsOpened), language, directory);
            contexts.put(context.id(), context);
            return context;
        }
    }

    void endContext(ContextId id) {
        synchronized (lock) {
            contexts.remove(id);
        }
    }

    List<Command.CodeContext> contexts() {
        synchronized (lock) {
            return new ArrayList<>(contexts.values());
        }
    }

    Command.CodeContext context(ContextId id) {
        synchronized (lock) {
            Command.CodeContext context = contexts.get(id);
            if (context == null) {
                throw new GloveboxException(
                        ErrorCode.CONTEXT_NOT_FOUND, "sandbox " + sandbox.id() + " has no context " + id);
            }
            return context;
        }
    }
}
