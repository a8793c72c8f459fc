package dev.glovebox.server;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Limits;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.api.AcceptedSockets;
import dev.glovebox.server.api.Api;
import dev.glovebox.server.api.ConnectionTracker;
import dev.glovebox.server.api.Problems;
import dev.glovebox.server.auth.Authenticator;
import dev.glovebox.wire.api.Problem;
import io.helidon.common.socket.SocketOptions;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.ListenerConfig;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// The listeners: one for the network, whose clients need a key, and a Unix-domain socket, whose clients are the
/// administrator of this machine. Helidon serves each connection on a virtual thread.
public final class HttpServer implements AutoCloseable {
    private static final String LOCAL = "local";
    private static final String SECURE = "secure";

    /// Paths have at most 4096 bytes, three times as long when encoded.
    private static final int PROLOGUE_BYTES_MAX = 16 * 1024;

    private static final int HEADER_BYTES_MAX = 16 * 1024;

    /// Helidon calls a connection of HTTP/2 idle when no request has begun on it for so long, and closes it then even
    /// if some are under way: longer than a request can be.
    private static final Duration IDLE_MAX = Limits.LEASE_MAX.plusHours(1);

    private static final Duration STOP_GRACE = Duration.ofMillis(500);

    /// Adds what stands before the native API to the routes of a listener.
    @FunctionalInterface
    public interface Front {
        /// Adds it to one listener.
        ///
        /// @param sockets those that the listener accepts
        void addTo(HttpRouting.Builder routing, AcceptedSockets sockets);
    }

    private final WebServer server;

    private HttpServer(WebServer server) {
        this.server = server;
    }

    /// Where to listen.
    ///
    /// @param address for clients with keys; port 0 takes any that is free
    /// @param socket the Unix-domain socket's file; its directory is made for its owner alone
    /// @param tls for clients with keys who speak TLS
    public record Addresses(InetSocketAddress address, Path socket, Optional<Tls> tls) {
        /// An address where TLS is spoken.
        ///
        /// @param context with the server's certificate
        public record Tls(InetSocketAddress address, SSLContext context) {}

        private String words() {
            return text(address)
                    + tls.map(secure -> " and " + text(secure.address())).orElse("");
        }

        private static String text(InetSocketAddress address) {
            return address.getAddress().getHostAddress() + ":" + address.getPort();
        }
    }

    /// Starts to listen.
    ///
    /// @param front adds what stands before the native API where clients with keys come in
    /// @param connectionsMax at once of each listener; what is more waits
    public static HttpServer start(
            Api api, Authenticator authenticator, Addresses addresses, Front front, int connectionsMax) {
        prepare(addresses.socket());
        refuseTaken(addresses.address());
        addresses.tls().ifPresent(tls -> refuseTaken(tls.address()));
        WebServerConfig.Builder config = WebServer.builder().shutdownHook(false);
        serveClients(config.bindAddress(addresses.address()), api, authenticator, front, connectionsMax);
        addresses.tls().ifPresent(tls -> {
            ListenerConfig.Builder secure = ListenerConfig.builder()
                    .name(SECURE)
                    .bindAddress(tls.address())
                    .tls(io.helidon.common.tls.Tls.builder()
                            .sslContext(tls.context())
                            .build());
            serveClients(secure, api, authenticator, front, connectionsMax);
            config.putSocket(SECURE, secure.build());
        });
        config.putSocket(LOCAL, local(api, addresses.socket(), connectionsMax));
        WebServer server = config.build().start();
        if (!server.isRunning()) {
            // Helidon logs why and returns.
            throw new IllegalStateException("cannot listen on " + addresses.words());
        }
        restrict(addresses.socket());
        return new HttpServer(server);
    }

    /// Says why an address cannot be had; Helidon would only log it, with a trace.
    private static void refuseTaken(InetSocketAddress address) {
        try (ServerSocketChannel trial = ServerSocketChannel.open()) {
            trial.bind(address);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "cannot listen on " + Addresses.text(address) + " (" + e.getMessage()
                            + "): end the program that does, or give another address",
                    e);
        }
    }

    private static void serveClients(
            ListenerConfig.BuilderBase<?, ?> listener,
            Api api,
            Authenticator authenticator,
            Front front,
            int connectionsMax) {
        AcceptedSockets sockets =
                new AcceptedSockets(SocketOptions.builder().tcpNoDelay(true).build());
        HttpRouting.Builder routing = HttpRouting.builder();
        front.addTo(routing, sockets);
        api.addTo(routing, new Api.Listener(authenticator, sockets));
        bound(listener, connectionsMax);
        listener.connectionOptions(sockets).routing(routing).idleConnectionTimeout(IDLE_MAX);
    }

    private static ListenerConfig local(Api api, Path socket, int connectionsMax) {
        AcceptedSockets sockets = new AcceptedSockets(SocketOptions.builder()
                .socketKeepAlive(false)
                .socketReuseAddress(false)
                .build());
        HttpRouting.Builder routing = HttpRouting.builder();
        api.addTo(routing, new Api.Listener(Authenticator.local(), sockets));
        ListenerConfig.Builder local = ListenerConfig.builder().name(LOCAL);
        bound(local, connectionsMax);
        return local.bindAddress(UnixDomainSocketAddress.of(socket))
                .connectionOptions(sockets)
                .routing(routing)
                .build();
    }

    private static void bound(ListenerConfig.BuilderBase<?, ?> listener, int connectionsMax) {
        listener.maxPayloadSize(Limits.FILE_BYTES_MAX)
                .maxTcpConnections(connectionsMax)
                .shutdownGracePeriod(STOP_GRACE)
                .directHandlers(directHandlers())
                .contentEncoding(new PackedBodies())
                .addProtocol(Http1Config.builder()
                        .maxPrologueLength(PROLOGUE_BYTES_MAX)
                        .maxHeadersSize(HEADER_BYTES_MAX)
                        .addReceiveListener(new ConnectionTracker())
                        .build());
    }

    /// The port that clients with keys connect to.
    public int port() {
        return server.port();
    }

    /// The port that clients with keys connect to by TLS; -1 if there is none.
    public int securePort() {
        return server.port(SECURE);
    }

    /// Stops to listen and closes all connections. Idempotent.
    @Override
    public void close() {
        server.stop();
    }

    private static void prepare(Path socket) {
        Path directory = socket.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IllegalArgumentException("a socket needs a directory of its own, not " + socket);
        }
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            if (Files.exists(socket)) {
                if (isAnswered(socket)) {
                    throw new IllegalStateException("another Glovebox server runs already: it answers at " + socket);
                }
                Files.delete(socket);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the socket " + socket + " cannot be made: " + e.getMessage(), e);
        }
    }

    private static boolean isAnswered(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            return false;
        }
    }

    private static void restrict(Path socket) {
        try {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What goes wrong before a route is found, in the form of every other problem.
    private static DirectHandlers directHandlers() {
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, (_, event, status, headers, _) -> refuse(event, status, headers));
        }
        return handlers.build();
    }

    private static DirectHandler.TransportResponse refuse(
            DirectHandler.EventType event, Status status, ServerResponseHeaders headers) {
        Problem problem = problem(status);
        headers.set(HeaderNames.CONTENT_TYPE, "application/problem+json");
        return DirectHandler.TransportResponse.builder()
                .status(status)
                .headers(headers)
                .keepAlive(event.keepAlive())
                .entity(RecordJson.write(problem))
                .build();
    }

    private static Problem problem(Status status) {
        Problem problem = switch (status.code()) {
            case 404 -> Problems.of(ErrorCode.ROUTE_NOT_FOUND, "there is nothing at this path");
            case 413 ->
                Problems.of(
                        ErrorCode.TOO_LARGE,
                        "the request's body is larger than the bound of " + Limits.FILE_BYTES_MAX + " bytes");
            case 503 -> Problems.of(ErrorCode.OVERLOADED, "the server has no place for another request");
            default ->
                status.code() >= 500
                        ? Problems.of(ErrorCode.INTERNAL, "something went wrong inside the server")
                        : Problems.of(
                                ErrorCode.INVALID_ARGUMENT,
                                "the request is not HTTP as it should be, or its head is larger than "
                                        + HEADER_BYTES_MAX + " bytes");
        };
        return new Problem(
                problem.type(), problem.title(), status.code(), problem.code(), problem.detail(), problem.instance());
    }
}
