package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressEvent.Kind;
import dev.glovebox.core.egress.NetworkPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Sandboxes that ask for all that a server has, and one that wants its part.
class SharedBoundsIT {
    /// So few that a test can use them up: 100 connections, 50 sockets for UDP.
    private static final int FILES = 600;

    private static final NetworkPolicy POLICY = NetworkPolicy.parse(
            List.of("web.example", "tcp://web.example:7", "udp://1.1.1.1:123"), List.of("ALL_TRAFFIC"));

    private World world;
    private final List<Socket> guests = new ArrayList<>();

    @BeforeEach
    void internet() throws IOException {
        world = new World(FILES);
        world.name("web.example", "1.1.1.1");
        world.serveWeb("1.1.1.1", 80);
        world.serveEcho("1.1.1.1", 7);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket guest : guests) {
            guest.close();
        }
        world.close();
    }

    private void greed(SandboxEgress sandbox, int count, int port, String first) throws IOException {
        for (int i = 0; i < count; i++) {
            Socket guest = world.dial(sandbox, "1.1.1.1", port);
            guests.add(guest);
            World.send(guest, first);
        }
    }

    private void serves(SandboxEgress sandbox) throws IOException {
        World.lookUp(sandbox, "web.example");
        try (Socket guest = world.dial(sandbox, "1.1.1.1", 80)) {
            World.send(guest, "GET / HTTP/1.1\r\nHost: web.example\r\nConnection: close\r\n\r\n");
            assertThat(World.receive(guest)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void connections() throws IOException {
        SandboxEgress greedy = world.sandbox(POLICY);
        SandboxEgress other = world.sandbox(POLICY);
        World.lookUp(greedy, "web.example");
        greed(greedy, 90, 7, "");
        world.await(Kind.CONNECTION_DENIED, "limit.server");
        assertThat(world.egress.pools().connections().taken()).isEqualTo(50);
        serves(other);
        greedy.close();
        awaitNone(world.egress.pools().connections());
    }

    @Test
    void firstBytes() throws IOException {
        SandboxEgress greedy = world.sandbox(POLICY);
        SandboxEgress other = world.sandbox(POLICY);
        Pool first = world.egress.pools().firstBytes();
        greed(greedy, 40, 80, "G");
        awaitSome(first, 40);
        assertThat(first.taken())
                .as("little for those that send little")
                .isLessThan(40L * Limits.EGRESS_REQUEST_HEAD_BYTES_MAX / 4);
        greedy.close();
        awaitNone(first);
        // As if other sandboxes had nearly all of it.
        long others = Limits.EGRESS_FIRST_BYTES_ALL_MAX - 20 * 1024;
        Pool.Share taken = first.share(0);
        taken.add(others);
        SandboxEgress third = world.sandbox(POLICY);
        greed(third, 1, 80, "GET / HTTP/1.1\r\nA: " + "a".repeat(30 * 1024));
        world.await(Kind.CONNECTION_DENIED, "limit.server");
        serves(other);
        taken.give(others);
        awaitNone(first);
    }

    @Test
    void datagrams() throws IOException {
        SandboxEgress greedy = world.sandbox(POLICY);
        world.sandbox(POLICY);
        List<DatagramChannel> sockets = new ArrayList<>();
        try (DatagramChannel relayed = udp();
                DatagramChannel server = udp()) {
            world.serveUdp("1.1.1.1", 123, ((InetSocketAddress) server.getLocalAddress()).getPort());
            UdpRelay relay = UdpRelay.start(relayed, greedy, World.address("1.1.1.1"), 123);
            for (int i = 0; i < 40; i++) {
                DatagramChannel guest = udp();
                sockets.add(guest);
                guest.send(java.nio.ByteBuffer.wrap(new byte[] {1}), relayed.getLocalAddress());
            }
            world.await(Kind.CONNECTION_DENIED, "limit.server");
            assertThat(world.egress.pools().datagrams().taken()).isEqualTo(25);
            relay.close();
            awaitNone(world.egress.pools().datagrams());
        } finally {
            for (DatagramChannel socket : sockets) {
                socket.close();
            }
        }
    }

    /// A guest that asks over TCP and does not read must not keep a connection of an ended sandbox.
    @Test
    void aQuestionThatIsNotAnsweredEndsWithTheSandbox() throws IOException {
        SandboxEgress sandbox = world.sandbox(POLICY);
        Socket guest = world.dial(sandbox, "8.8.8.8", 53);
        guests.add(guest);
        sandbox.close();
        assertThat(World.receive(guest)).isEqualTo("[reset]");
        awaitNone(world.egress.pools().connections());
    }

    private static DatagramChannel udp() throws IOException {
        return DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void awaitSome(Pool pool, long least) {
        await(() -> pool.taken() >= least);
        assertThat(pool.taken()).isGreaterThanOrEqualTo(least);
    }

    private static void awaitNone(Pool pool) {
        await(() -> pool.taken() == 0);
        assertThat(pool.taken()).as("all is given back").isZero();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + World.PATIENCE.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            try {
                TimeUnit.MILLISECONDS.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
