package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.server.e2b.interpreter.CodeContext.Gateway;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A context of the sandbox itself. If it is lost with what ran in it, the next execution finds a fresh one, as with a
/// notebook whose kernel has died. Thread-safe.
final class InterpreterKernel implements Kernel {
    private final Language language;
    private final GuestPath directory;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable ContextId context;

    InterpreterKernel(Language language, GuestPath directory) {
        this.language = language;
        this.directory = directory;
    }

    @Override
    public void open(Gateway gateway) {
        opened(gateway);
    }

    private ContextId opened(Gateway gateway) {
        ContextId known = context;
        if (known != null) {
            return known;
        }
        opening.lock();
        try {
            ContextId now = context;
            if (now == null) {
                now = gateway.execute(new Command.OpenContext(gateway.sandbox(), language, directory))
                        .id();
                context = now;
            }
            return now;
        } finally {
            opening.unlock();
        }
    }

    @Override
    public Answer execute(Gateway gateway, String text, Map<String, String> environment, ExecutionSink sink) {
        String code = language == Language.PYTHON ? dedented(text) : text;
        try {
            return executeIn(opened(gateway), gateway, code, environment, sink);
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.CONTEXT_NOT_FOUND) {
                throw e;
            }
            // It ended with the execution before, or by itself: the code has not run.
            context = null;
            return executeIn(opened(gateway), gateway, code, environment, sink);
        }
    }

    /// Code that stands indented in a client's source, as notebooks take it: what the first line begins with is taken
    /// from
    /// the others too. Lines keep their numbers.
    static String dedented(String code) {
        String first = code.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        String indent = first.substring(0, first.length() - first.stripLeading().length());
        if (indent.isEmpty()) {
            return code;
        }
        return Arrays.stream(code.split("\n", -1))
                .map(line -> line.startsWith(indent) ? line.substring(indent.length()) : line)
                .collect(Collectors.joining("\n"));
    }

    private Answer executeIn(
            ContextId in, Gateway gateway, String code, Map<String, String> environment, ExecutionSink sink) {
        Execution.Result result =
                gateway.execute(new Command.Execute(gateway.sandbox(), in, code, environment, gateway.limits()), sink);
        if (result.outcome() instanceof Outcome.BackendLost(String reason)) {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, reason);
        }
        if (result.outcome() instanceof Outcome.Exited(int status)) {
            return status == 0 || result.error().isPresent()
                    ? new Answer(result.error())
                    : Answer.failed("ExecutionError", "the interpreter ended itself with status " + status);
        }
        forget(in, gateway);
        Optional<dev.glovebox.core.ExecutionError> error = result.error();
        return error.isPresent()
                ? new Answer(error)
                : Answer.failed(name(result.outcome()), result.outcome().sentence());
    }

    private static String name(Outcome outcome) {
        return switch (outcome) {
            case Outcome.OutOfMemory _ -> "MemoryError";
            case Outcome.TimedOut _ -> "TimeoutError";
            case Outcome.Exited _, Outcome.KilledByPolicy _, Outcome.Killed _, Outcome.BackendLost _ ->
                "ExecutionError";
        };
    }

    /// An outcome that took the interpreter with it: gives its place back.
    private void forget(ContextId lost, Gateway gateway) {
        if (lost.equals(context)) {
            context = null;
            closeQuietly(lost, gateway);
        }
    }

    private static void closeQuietly(ContextId closed, Gateway gateway) {
        try {
            gateway.execute(new Command.CloseContext(gateway.sandbox(), closed));
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.CONTEXT_NOT_FOUND) {
                throw e;
            }
        }
    }

    @Override
    public void interrupt(Gateway gateway) {
        ContextId running = context;
        if (running != null) {
            try {
                gateway.execute(new Command.InterruptContext(gateway.sandbox(), running));
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.CONTEXT_NOT_FOUND) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void restart(Gateway gateway) {
        close(gateway);
        open(gateway);
    }

    @Override
    public void close(Gateway gateway) {
        ContextId closed = context;
        context = null;
        if (closed != null) {
            closeQuietly(closed, gateway);
        }
    }
}
