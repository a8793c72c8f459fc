package dev.glovebox.egress;

import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.SecretSource;
import dev.glovebox.core.egress.Tunnel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// A small internet on loopback: servers that stand for public addresses, names, an authority that vouches for
/// them, and a sandbox in front of it. What a guest does is done with plain sockets.
final class World implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);

    final Map<HostName, List<IpAddress>> names = new ConcurrentHashMap<>();
    final List<EgressEvent> events = new CopyOnWriteArrayList<>();
    final Map<String, String> secrets = new ConcurrentHashMap<>();
    final SandboxAuthority authority = SandboxAuthority.create("test internet", Clock.systemUTC());
    final Egress egress;

    private final Map<String, Integer> servers = new ConcurrentHashMap<>();
    private final List<ServerSocket> sockets = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, List<String>> heard = new ConcurrentHashMap<>();

    World() {
        this(OpenFiles.max());
    }

    /// @param openFilesMax of which the egress takes its parts
    World(long openFilesMax) {
        SecretSource source = (sandbox, placeholder, host) ->
                java.util.Optional.ofNullable(secrets.get(placeholder.name() + "@" + host));
        egress = new Egress(
                new EgressOptions(
                        name -> new NameResolver.Answer(names.getOrDefault(name, List.of()), 1),
                        trusting(authority.pem()),
                        source,
                        events::add,
                        () -> Set.of(address("9.9.9.9")),
                        Clock.systemUTC(),
                        1),
                new Dialer.Connector() {
                    @Override
                    public SocketChannel connect(IpAddress address, int port) throws IOException {
                        return World.this.connect(address, port);
                    }

                    @Override
                    public DatagramChannel connectUdp(IpAddress address, int port) throws IOException {
                        return DatagramChannel.open().connect(server(address, port));
                    }
                },
                openFilesMax);
    }

    static IpAddress address(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    void name(String name, String... addresses) {
        List<IpAddress> list = new ArrayList<>();
        for (String text : addresses) {
            list.add(address(text));
        }
        names.put(new HostName(name), list);
    }

    SandboxEgress sandbox(NetworkPolicy policy, Tunnel... tunnels) {
        return egress.open(new SandboxId("i" + "a".repeat(20)), new NetworkGrant(policy, List.of(tunnels)));
    }

    // ---- servers

    /// What a server does with a connection.
    interface Handler {
        void handle(Socket socket) throws IOException;
    }

    /// A server at a public address.
    void serve(String address, int port, Handler handler) throws IOException {
        ServerSocket socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        servers.put(address + ":" + port, socket.getLocalPort());
        Thread.ofVirtual().start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket accepted = socket.accept();
                    heard(address + ":" + port, "connection");
                    Thread.ofVirtual().start(() -> {
                        try (accepted) {
                            handler.handle(accepted);
                        } catch (IOException _) {
                            // The guest went away.
                        }
                    });
                } catch (IOException _) {
                    return;
                }
            }
        });
    }

    /// A web server that answers each request with the request, and remembers it.
    void serveWeb(String address, int port) throws IOException {
        serve(address, port, socket -> echoRequests(address + ":" + port, socket));
    }

    /// The same with TLS, in the name of a host.
    void serveSecure(String address, int port, String host) throws IOException {
        serve(address, port, socket -> echoRequests(address + ":" + port, tls(socket, host)));
    }

    /// A server's end of TLS, in the name of a host.
    SSLSocket tls(Socket socket, String host) throws IOException {
        return (SSLSocket) authority
                .contextOf(new HostName(host))
                .getSocketFactory()
                .createSocket(socket, new ByteArrayInputStream(new byte[0]), true);
    }

    /// A server that sends back what it gets.
    void serveEcho(String address, int port) throws IOException {
        serve(address, port, socket -> {
            byte[] buffer = new byte[64 * 1024];
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                socket.getOutputStream().write(buffer, 0, read);
            }
        });
    }

    private void echoRequests(String where, Socket socket) throws IOException {
        HttpFeed feed = new HttpFeed(socket.getInputStream());
        try {
            for (var head = feed.head(); head.isPresent(); head = feed.head()) {
                String text = new String(head.get(), StandardCharsets.ISO_8859_1);
                heard(where, text);
                HttpHead request = HttpHead.parse(head.get(), head.get().length);
                var body = new java.io.ByteArrayOutputStream();
                feed.body(BodyFraming.of(request), body);
                byte[] answer =
                        (text + body.toString(StandardCharsets.ISO_8859_1)).getBytes(StandardCharsets.ISO_8859_1);
                socket.getOutputStream()
                        .write(("HTTP/1.1 200 OK\r\nContent-Length: " + answer.length + "\r\n\r\n")
                                .getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().write(answer);
                if (request.values("Connection").contains("close")) {
                    return;
                }
            }
        } catch (HttpRefusal refusal) {
            heard(where, "malformed: " + refusal.reason());
        }
    }

    private void heard(String where, String what) {
        heard.computeIfAbsent(where, _ -> new CopyOnWriteArrayList<>()).add(what);
    }

    /// What a server was told.
    List<String> heard(String where) {
        return heard.getOrDefault(where, List.of());
    }

    private SocketChannel connect(IpAddress address, int port) throws IOException {
        return SocketChannel.open(server(address, port));
    }

    private InetSocketAddress server(IpAddress address, int port) throws IOException {
        Integer server = servers.get(address + ":" + port);
        if (server == null) {
            throw new ConnectException("nobody at " + address + ":" + port);
        }
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server);
    }

    /// A UDP server at a public address, at this port of the machine.
    void serveUdp(String address, int port, int localPort) {
        servers.put(address + ":" + port, localPort);
    }

    // ---- the guest

    /// A connection of the guest's to an address, as it arrives at the proxy.
    Socket dial(SandboxEgress sandbox, String to, int port) throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Socket guest = SocketChannel.open(listener.getLocalAddress()).socket();
            guest.setSoTimeout((int) PATIENCE.toMillis());
            sandbox.accept(listener.accept(), address(to), port);
            return guest;
        }
    }

    /// The guest looks a name up; the addresses it learns.
    static List<String> lookUp(SandboxEgress sandbox, String name) throws IOException {
        var query = org.xbill.DNS.Message.newQuery(org.xbill.DNS.Record.newRecord(
                org.xbill.DNS.Name.fromString(name + "."), org.xbill.DNS.Type.A, org.xbill.DNS.DClass.IN));
        return new org.xbill.DNS.Message(sandbox.answer(query.toWire()).orElseThrow())
                .getSection(org.xbill.DNS.Section.ANSWER).stream()
                        .map(record ->
                                ((org.xbill.DNS.ARecord) record).getAddress().getHostAddress())
                        .toList();
    }

    /// TLS over a guest's connection, trusting who vouches by this certificate.
    static SSLSocket secure(Socket socket, String pem, String name) throws IOException {
        SSLSocket tls = (SSLSocket) trusting(pem).getSocketFactory().createSocket(socket, name, 443, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /// Everything until the end; what came before a reset, too.
    static String receive(Socket socket) {
        var all = new java.io.ByteArrayOutputStream();
        try {
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                all.write(buffer, 0, read);
            }
        } catch (IOException _) {
            all.writeBytes("[reset]".getBytes(StandardCharsets.US_ASCII));
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    static SSLContext trusting(String pem) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            Certificate certificate = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
            store.setCertificateEntry("authority", certificate);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits for an event.
    EgressEvent await(Predicate<EgressEvent> wanted) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            var found = events.stream().filter(wanted).findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        throw new AssertionError("no such event among " + summary());
    }

    EgressEvent await(EgressEvent.Kind kind, String rule) {
        return await(event -> event.kind() == kind && event.rule().equals(rule));
    }

    List<String> summary() {
        return events.stream()
                .map(event -> event.kind().verb() + " " + new HashMap<>(event.details()))
                .toList();
    }

    @Override
    public void close() throws IOException {
        egress.close();
        for (ServerSocket socket : sockets) {
            socket.close();
        }
    }
}
