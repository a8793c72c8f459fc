package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.backend.SandboxHandle;
import java.util.List;

/// What is done inside a sandbox that runs: processes, files, contexts. Thread-safe.
final class InsideActions {
    private final Engine.Parts parts;
    private final SandboxActions sandboxes;

    InsideActions(Engine.Parts parts, SandboxActions sandboxes) {
        this.parts = parts;
        this.sandboxes = sandboxes;
    }

    SandboxHandle handle(Command.OnSandbox<?> command) {
        return sandboxes.find(command.sandbox()).handle();
    }

    Execution.Result start(Command.StartProcess command, ExecutionSink sink) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        SandboxHandle handle = sandbox.handle();
        Execution.ProcessSpec spec = command.spec();
        String program = spec.arguments().isEmpty()
                ? spec.code().orElseThrow().fileName()
                : spec.arguments().getFirst();
        ProcessId id = sandbox.beginProcess(program, parts.clock().instant());
        try {
            Execution.Result result = handle.start(id, spec, sink);
            Language language = spec.code()
                    .map(Execution.Code::language)
                    .orElse(sandbox.sandbox().language());
            observe(sandbox.sandbox(), language, result);
            return result;
        } finally {
            sandbox.endProcess(id);
        }
    }

    Command.Done writeInput(Command.WriteInput command) {
        sandboxes.find(command.sandbox()).checkProcess(command.process());
        handle(command).writeInput(command.process(), command.bytes(), command.end());
        return Command.Done.DONE;
    }

    Command.Done signal(Command.SignalProcess command) {
        sandboxes.find(command.sandbox()).checkProcess(command.process());
        handle(command).signal(command.process(), command.signal());
        return Command.Done.DONE;
    }

    List<Command.ProcessEntry> processes(Command.ListProcesses command) {
        return sandboxes.find(command.sandbox()).processes();
    }

    Command.Done remove(Command.RemoveFile command) {
        handle(command).remove(command.path(), command.access());
        return Command.Done.DONE;
    }

    Command.Done resize(Command.ResizeTerminal command) {
        sandboxes.find(command.sandbox()).checkProcess(command.process());
        handle(command).resize(command.process(), command.size());
        return Command.Done.DONE;
    }

    Command.Done watch(Command.WatchDirectory command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        SandboxHandle handle = sandbox.handle();
        sandbox.beginWatch();
        try {
            handle.watch(command.path(), command.access(), command.recursive(), command.sink());
        } finally {
            sandbox.endWatch();
        }
        return Command.Done.DONE;
    }

    Command.CodeContext openContext(Command.OpenContext command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        SandboxHandle handle = sandbox.handle();
        GuestPath directory = command.directory();
        Command.CodeContext context = sandbox.beginContext(command.language(), directory);
        try {
            handle.openContext(context.id(), command.language(), directory);
            return context;
        } catch (RuntimeException | Error failure) {
            sandbox.endContext(context.id());
            throw failure;
        }
    }

    List<Command.CodeContext> contexts(Command.ListContexts command) {
        return sandboxes.find(command.sandbox()).contexts();
    }

    Execution.Result execute(Command.Execute command, ExecutionSink sink) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        Command.CodeContext context = sandbox.context(command.context());
        try {
            Execution.Result result = sandbox.handle()
                    .execute(context.id(), command.code(), command.environment(), command.limits(), sink);
            observe(sandbox.sandbox(), context.language(), result);
            return result;
        } catch (GloveboxException refusal) {
            // An execution that had to be ended by force took the context with it: it counts no longer.
            if (refusal.code() == ErrorCode.CONTEXT_NOT_FOUND) {
                sandbox.endContext(context.id());
            }
            throw refusal;
        }
    }

    Command.Done interrupt(Command.InterruptContext command) {
        sandboxes.find(command.sandbox()).context(command.context());
        handle(command).interrupt(command.context());
        return Command.Done.DONE;
    }

    Command.Done restartContext(Command.RestartContext command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        Command.CodeContext context = sandbox.context(command.context());
        SandboxHandle handle = sandbox.handle();
        handle.closeContext(context.id());
        try {
            handle.openContext(context.id(), context.language(), context.directory());
        } catch (RuntimeException | Error failure) {
            sandbox.endContext(context.id());
            throw failure;
        }
        return Command.Done.DONE;
    }

    Command.Done closeContext(Command.CloseContext command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        sandbox.context(command.context());
        sandbox.handle().closeContext(command.context());
        sandbox.endContext(command.context());
        return Command.Done.DONE;
    }

    Command.Done connect(Command.ConnectPort command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        SandboxHandle handle = sandbox.handle();
        sandbox.beginPortConnection();
        try {
            handle.connect(command.port(), command.peer());
        } finally {
            sandbox.endPortConnection();
        }
        return Command.Done.DONE;
    }

    private void observe(Sandbox sandbox, Language language, Execution.Result result) {
        parts.observer()
                .ran(sandbox.tier(), language, result.outcome(), result.usage().wallTime(), result.pooled());
    }
}
