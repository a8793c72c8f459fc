package dev.glovebox.server.e2b.traffic;

import dev.glovebox.engine.Gate;
import dev.glovebox.server.api.AcceptedSockets;
import dev.glovebox.server.api.ClientWatch;
import dev.glovebox.server.api.ConnectionTracker;
import dev.glovebox.server.api.EarlyResponse;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.wire.e2b.TrafficError;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.util.Optional;

/// Hands requests on to servers inside sandboxes, and their answers back: as they come, both ways at once. Each
/// request has a connection of its own to the server, so nothing of one can end up in another. Thread-safe.
public final class PortProxy implements SandboxPort {
    private final Gate gate;
    private final E2bSandboxes sandboxes;
    private final AcceptedSockets sockets;

    /// A proxy to sandboxes behind a gate.
    ///
    /// @param sockets of the listeners whose requests it serves
    public PortProxy(Gate gate, E2bSandboxes sandboxes, AcceptedSockets sockets) {
        this.gate = gate;
        this.sandboxes = sandboxes;
        this.sockets = sockets;
    }

    @Override
    public void serve(SandboxTarget target, ServerRequest request, ServerResponse response) {
        ConnectionContext connection = ConnectionTracker.current(request);
        Optional<String> upgrade = connection == null ? Optional.empty() : GuestRequest.upgrade(request);
        byte[] head = GuestRequest.head(request, target, upgrade);
        try (PortLink link = PortLink.open(gate, target);
                RequestBody body = new RequestBody(request, link, head)) {
            if (upgrade.isPresent() && connection != null) {
                switchOver(connection, link, request, response);
            } else {
                answer(link, body, request, response);
            }
            if (!body.isOver()) {
                throw new CloseConnectionException("the answer came before the request was read");
            }
        } catch (InterruptedException e) {
            throw new CloseConnectionException("the client went away", e);
        } catch (IOException e) {
            refuse(target, request, response, e);
        }
    }

    private void switchOver(ConnectionContext connection, PortLink link, ServerRequest request, ServerResponse response)
            throws IOException {
        DataReader data = GuestResponse.reader(link);
        GuestResponse answer = GuestResponse.read(data, GuestRequest.isHead(request), true);
        if (answer.isUpgrade()) {
            new Tunnel(sockets, connection, link).carry(answer, data);
            throw new CloseConnectionException("a tunnel is over");
        }
        send(answer, link, response);
    }

    private static void answer(PortLink link, RequestBody body, ServerRequest request, ServerResponse response)
            throws IOException {
        ClientWatch watch = body.isSent() ? ClientWatch.begin(request) : ClientWatch.none();
        response.whenSent(watch::awaitReader);
        try (watch) {
            send(GuestResponse.read(GuestResponse.reader(link), GuestRequest.isHead(request), false), link, response);
        } catch (IOException | RuntimeException e) {
            if (watch.isGone() || body.clientIsGone()) {
                throw new CloseConnectionException("the client went away", e);
            }
            throw e;
        }
    }

    /// Sends an answer as it comes. The link is closed before the last byte goes out, because from there on the
    /// connection waits for the next request.
    private static void send(GuestResponse answer, PortLink link, ServerResponse response) throws IOException {
        GuestAnswer.into(response, answer);
        if (!answer.hasBody()) {
            link.close();
            response.send();
            return;
        }
        EarlyResponse out = EarlyResponse.begin(response);
        for (byte[] part = answer.next(); part != null; part = answer.next()) {
            out.emit(part);
        }
        link.close();
        out.close();
    }

    private void refuse(SandboxTarget target, ServerRequest request, ServerResponse response, IOException why) {
        if (response.isSent()) {
            throw new CloseConnectionException("the answer broke off", why);
        }
        String id = target.id().value();
        if (sandboxes.find(target.id()).isEmpty()) {
            TrafficErrors.notFound(request, response, id);
        } else {
            TrafficErrors.answer(
                    request,
                    response,
                    new TrafficError(id, "The server on this port gave no answer in HTTP", target.port(), 502));
        }
    }
}
