package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.egress.EgressEvent.Kind;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/// The sockets at both ends: those that a sandbox's packets arrive at, and those that ask name servers.
class ListenersIT {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final World world = new World();

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    private SandboxEgress sandbox(String... allowOut) {
        return world.sandbox(EgressIT.policy(List.of(allowOut), Map.of(), Set.of()));
    }

    @Test
    void acceptsAndLearnsTheDestination() throws IOException {
        world.serveEcho("1.1.1.1", 8080);
        SandboxEgress sandbox = sandbox("1.1.1.1");
        ServerSocketChannel socket = ServerSocketChannel.open().bind(ANY);
        try (TransparentListener _ =
                        TransparentListener.start(socket, sandbox, _ -> new InetSocketAddress("1.1.1.1", 8080));
                Socket guest = new Socket()) {
            guest.connect(socket.getLocalAddress());
            World.send(guest, "x");
            assertThat(guest.getInputStream().read()).isEqualTo('x');
        }
        assertThatThrownBy(socket::getLocalAddress).isInstanceOf(IOException.class);
    }

    @Test
    void theSocketsOwnAddressIsTheDestination() throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open().bind(ANY);
        try (TransparentListener _ = TransparentListener.start(
                        socket, sandbox("1.1.1.1"), TransparentListener.Destination.OWN_ADDRESS);
                Socket guest = new Socket()) {
            guest.connect(socket.getLocalAddress());
            assertThat(World.receive(guest)).isEqualTo("[reset]");
        }
        assertThat(world.await(Kind.CONNECTION_DENIED, "always.loopback").address())
                .contains(World.address("127.0.0.1"));
    }

    @Test
    void answersQueriesOverUdp() throws IOException {
        world.name("api.github.com", "140.82.112.5");
        DatagramChannel socket = DatagramChannel.open().bind(ANY);
        try (DnsListener _ = DnsListener.start(socket, sandbox("api.github.com"))) {
            DnsClient client = new DnsClient(List.of((InetSocketAddress) socket.getLocalAddress()));
            assertThat(client.resolve(new HostName("api.github.com")).addresses())
                    .containsExactly(World.address("140.82.112.5"));
            assertThat(client.resolve(new HostName("evil.example")).addresses()).isEmpty();
        }
        world.await(Kind.NAME_DENIED, "dns.closed");
    }

    @Test
    void carriesUdpWhereARuleNamesIt() throws IOException {
        try (DatagramSocket server = new DatagramSocket(ANY);
                DatagramSocket guest = new DatagramSocket(ANY)) {
            guest.setSoTimeout(10_000);
            world.serveUdp("1.1.1.1", 123, server.getLocalPort());
            SandboxEgress sandbox = sandbox("udp://1.1.1.1:123");
            DatagramChannel socket = DatagramChannel.open().bind(ANY);
            try (UdpRelay _ = UdpRelay.start(socket, sandbox, World.address("1.1.1.1"), 123)) {
                guest.send(new DatagramPacket(new byte[] {1, 2, 3}, 3, socket.getLocalAddress()));
                DatagramPacket packet = new DatagramPacket(new byte[100], 100);
                server.receive(packet);
                assertThat(packet.getLength()).isEqualTo(3);
                server.send(new DatagramPacket(new byte[] {9}, 1, packet.getSocketAddress()));
                guest.receive(packet);
                assertThat(packet.getData()[0]).isEqualTo((byte) 9);
                world.await(Kind.CONNECTION_ALLOWED, "allow_out udp://1.1.1.1:123");
                sandbox.replace(new NetworkGrant(NetworkPolicy.CLOSED, List.of()));
                guest.send(new DatagramPacket(new byte[] {1}, 1, socket.getLocalAddress()));
                world.await(Kind.CONNECTION_DENIED, "udp.closed");
                assertThat(world.await(Kind.CONNECTION_ENDED, "policy.replaced").sent())
                        .isEqualTo(3);
            }
        }
    }

    /// A name server that answers as it is told.
    private static DatagramSocket server(UnaryOperator<Message> answers) throws IOException {
        DatagramSocket socket = new DatagramSocket(ANY);
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
                    socket.receive(packet);
                    Message answer = answers.apply(new Message(Arrays.copyOf(packet.getData(), packet.getLength())));
                    byte[] bytes = answer.toWire();
                    socket.send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
                }
            } catch (IOException _) {
                // The test is over.
            }
        });
        return socket;
    }

    private static Message answer(Message query, Record... records) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.addRecord(query.getQuestion(), Section.QUESTION);
        for (Record record : records) {
            answer.addRecord(record, Section.ANSWER);
        }
        return answer;
    }

    private static Record address(String name, String address) {
        try {
            return new ARecord(
                    Name.fromString(name),
                    DClass.IN,
                    77,
                    InetAddress.getByAddress(World.address(address).bytes()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Record alias(String name, String target) {
        try {
            return new CNAMERecord(Name.fromString(name), DClass.IN, 66, Name.fromString(target));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static NameResolver.Answer ask(UnaryOperator<Message> answers) throws IOException {
        try (DatagramSocket server = server(answers)) {
            return new DnsClient(List.of((InetSocketAddress) server.getLocalSocketAddress()))
                    .resolve(new HostName("a.example"));
        }
    }

    @Test
    void followsAliasesAndBelievesNothingElse() throws IOException {
        NameResolver.Answer answer = ask(query -> answer(
                query,
                address("other.example.", "6.6.6.6"),
                alias("a.example.", "b.example."),
                alias("b.example.", "c.example."),
                address("c.example.", "1.2.3.4")));
        assertThat(answer.addresses()).containsExactly(World.address("1.2.3.4"));
        assertThat(answer.ttlSeconds()).isEqualTo(66);
        assertThat(ask(query -> answer(query, alias("a.example.", "a.example.")))
                        .addresses())
                .isEmpty();
        assertThat(ask(query -> answer(query, alias("a.example.", "b.example."), alias("b.example.", "a.example.")))
                        .addresses())
                .isEmpty();
        assertThat(ask(query -> {
                            Message none = answer(query);
                            none.getHeader().setRcode(Rcode.NXDOMAIN);
                            return none;
                        })
                        .addresses())
                .isEmpty();
    }

    @Test
    void takesNoAnswerToAnotherQuestion() {
        assertThatThrownBy(() -> ask(query -> {
                    Message other = answer(query, address("a.example.", "6.6.6.6"));
                    other.getHeader().setID(query.getHeader().getID() ^ 1);
                    return other;
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not answer");
        assertThatThrownBy(() -> ask(query -> {
                    Message failed = answer(query);
                    failed.getHeader().setRcode(Rcode.SERVFAIL);
                    return failed;
                }))
                .hasMessageContaining("SERVFAIL");
    }

    @Test
    void asksOverTcpWhatDoesNotFit() throws IOException {
        try (ServerSocketChannel tcp = ServerSocketChannel.open().bind(ANY);
                DatagramChannel udp = DatagramChannel.open().bind(tcp.getLocalAddress())) {
            world.name("a.example", "1.2.3.4");
            SandboxEgress sandbox = sandbox("a.example");
            Thread.ofVirtual().start(() -> {
                try {
                    DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
                    udp.socket().receive(packet);
                    Message cut = answer(new Message(Arrays.copyOf(packet.getData(), packet.getLength())));
                    cut.getHeader().setFlag(Flags.TC);
                    byte[] bytes = cut.toWire();
                    udp.socket().send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
                    DnsOverTcp.serve(tcp.accept(), sandbox);
                } catch (IOException _) {
                    // The test is over.
                }
            });
            assertThat(new DnsClient(List.of((InetSocketAddress) tcp.getLocalAddress()))
                            .resolve(new HostName("a.example"))
                            .addresses())
                    .containsExactly(World.address("1.2.3.4"));
        }
    }

    @Test
    void knowsTheHostsAddressesAndServers() throws IOException {
        assertThat(new HostAddresses().get())
                .contains(IpAddress.parse("127.0.0.1").orElseThrow());
        assertThat(DnsClient.ofHost()).isNotNull();
    }

    @Test
    void anAuthorityCanBeKept() throws IOException {
        SandboxAuthority made = SandboxAuthority.create("x", Clock.systemUTC());
        SandboxAuthority kept = SandboxAuthority.restore(made.secret(), Clock.systemUTC());
        assertThat(kept.pem()).isEqualTo(made.pem());
        assertThat(made.secret().toString()).isEqualTo("Secret[]");
        String long64 = "a".repeat(63) + ".example";
        assertThat(kept.contextOf(new HostName(long64))).isSameAs(kept.contextOf(new HostName(long64)));
        assertThat(made.pem().getBytes(StandardCharsets.US_ASCII).length).isLessThan(2000);
    }
}
