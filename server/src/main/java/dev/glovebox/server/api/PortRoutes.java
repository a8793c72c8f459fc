package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import io.helidon.webserver.CloseConnectionException;
import java.util.List;

/// Connections to ports inside a sandbox. HTTP, WebSockets and everything else that speaks TCP goes through them.
final class PortRoutes {
    private PortRoutes() {}

    static List<Route> all() {
        return List.of(new Route(
                "GET",
                SandboxRoutes.ONE + "/ports/{port}",
                "Connect to a TCP port inside a sandbox: with 'Connection: Upgrade' and 'Upgrade: tcp' the connection "
                        + "becomes that to the port, each direction closed for itself",
                Access.TENANT,
                List.of(),
                null,
                new Answer.Upgrade(),
                PortRoutes::connect));
    }

    private static void connect(HttpCall call) {
        long port = ToCore.number("a port", call.path("port"), Command.ConnectPort.PORT_MAX);
        PortStream stream = call.portStream();
        try {
            call.execute(new Command.ConnectPort(call.sandbox(), Math.toIntExact(port), stream));
        } catch (RuntimeException e) {
            if (stream.hasBegun()) {
                throw new CloseConnectionException("the connection to a port broke off", e);
            }
            throw e;
        }
        throw new CloseConnectionException("the connection to a port is over");
    }
}
