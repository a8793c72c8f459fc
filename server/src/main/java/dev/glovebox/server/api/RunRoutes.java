package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.RunSpec;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.util.List;

/// One-shot runs.
final class RunRoutes {
    private RunRoutes() {}

    static List<Route> all() {
        return List.of(new Route(
                "POST",
                "/v1/run",
                "Run one program in a sandbox of its own",
                Route.Access.TENANT,
                List.of(),
                RunRequest.class,
                new Route.Answer.Streamable(RunResponse.class),
                call -> {
                    RunSpec spec = ToCore.run(call.body(RunRequest.class));
                    call.execute(new Command.Run(spec), spec.limits(), ToWire::run);
                }));
    }
}
