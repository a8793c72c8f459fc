package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.SandboxId;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.CommandList;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.InputRequest;
import dev.glovebox.wire.api.SignalRequest;
import dev.glovebox.wire.api.TerminalSet;
import java.util.List;
import java.util.function.Consumer;

/// Processes in a sandbox.
final class CommandRoutes {
    private static final String ALL = SandboxRoutes.ONE + "/commands";
    private static final String ONE = ALL + "/{pid}";

    private CommandRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "POST",
                        ALL,
                        "Run a process in a sandbox; when the client goes away it is ended",
                        Access.TENANT,
                        List.of(),
                        CommandRequest.class,
                        new Answer.Streamable(ExecutionResponse.class),
                        CommandRoutes::run),
                new Route(
                        "GET",
                        ALL,
                        "List the processes that run in a sandbox",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, CommandList.class),
                        call -> call.json(
                                200,
                                new CommandList(call.execute(new Command.ListProcesses(call.sandbox())).stream()
                                        .map(ToWire::process)
                                        .toList()))),
                new Route(
                        "POST",
                        ONE + "/stdin",
                        "Write to a process that was started with open input",
                        Access.TENANT,
                        List.of(),
                        InputRequest.class,
                        new Answer.Nothing(),
                        CommandRoutes::writeInput),
                new Route(
                        "POST",
                        ONE + "/signal",
                        "Send a signal to a process",
                        Access.TENANT,
                        List.of(),
                        SignalRequest.class,
                        new Answer.Nothing(),
                        CommandRoutes::signal),
                new Route(
                        "POST",
                        ONE + "/terminal",
                        "Give the terminal of a process another size",
                        Access.TENANT,
                        List.of(),
                        TerminalSet.class,
                        new Answer.Nothing(),
                        CommandRoutes::resize));
    }

    private static void run(HttpCall call) {
        CommandRequest request = call.body(CommandRequest.class);
        SandboxId sandbox = call.sandbox();
        Execution.ProcessSpec spec = ToCore.process(request);
        byte[] input = ToCore.bytes(request.stdin());
        Consumer<ProcessId> onStart = request.stdin() == null ? _ -> {} : pid -> feed(call, sandbox, pid, input);
        call.execute(new Command.StartProcess(sandbox, spec), spec.limits(), ToWire::execution, onStart);
    }

    /// Writes the whole input beside the process, which may read it slowly or not at all.
    private static void feed(HttpCall call, SandboxId sandbox, ProcessId pid, byte[] input) {
        Thread.ofVirtual().name("command-input").start(() -> {
            try {
                call.execute(new Command.WriteInput(sandbox, pid, input, true));
            } catch (GloveboxException e) {
                // The process ended without reading it all; how it ended is the answer.
            }
        });
    }

    private static void writeInput(HttpCall call) {
        InputRequest request = call.body(InputRequest.class);
        boolean isEmpty = request.text() == null && request.base64() == null;
        byte[] bytes = isEmpty ? new byte[0] : ToCore.bytes(new Content(request.text(), request.base64()));
        boolean end = Boolean.TRUE.equals(request.end());
        call.execute(new Command.WriteInput(call.sandbox(), ToCore.process(call.path("pid")), bytes, end));
        call.done();
    }

    private static void resize(HttpCall call) {
        TerminalSet size = call.body(TerminalSet.class);
        call.execute(
                new Command.ResizeTerminal(call.sandbox(), ToCore.process(call.path("pid")), ToCore.terminal(size)));
        call.done();
    }

    private static void signal(HttpCall call) {
        SignalRequest request = call.body(SignalRequest.class);
        call.execute(new Command.SignalProcess(call.sandbox(), ToCore.process(call.path("pid")), request.signal()));
        call.done();
    }
}
