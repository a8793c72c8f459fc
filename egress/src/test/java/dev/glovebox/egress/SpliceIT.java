package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.EgressEvent.Kind;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections that end at bad moments: nothing is left of them, and what was bounded stays within its bound.
class SpliceIT {
    private static final String ADDRESS = "1.1.1.1";
    private static final int PORT = 7000;
    /// What the JDK opens meanwhile.
    private static final int SPARE_DESCRIPTORS = 16;

    private static final NetworkPolicy OPEN = EgressIT.policy(List.of(ADDRESS), Map.of(), Set.of());

    private final World world = new World();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void close() throws IOException {
        mayEnd.countDown();
        world.close();
    }

    private static NetworkPolicy limited(int connections, long bytes) {
        return new NetworkPolicy(
                OPEN.allowOut(),
                OPEN.denyOut(),
                List.of(),
                Set.of(),
                Optional.empty(),
                new NetworkLimits(connections, connections, 0, bytes));
    }

    private void await() {
        try {
            assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void flood(Socket socket) {
        try {
            OutputStream out = socket.getOutputStream();
            byte[] piece = new byte[1 << 18];
            while (true) {
                out.write(piece);
            }
        } catch (IOException _) {
            // That is how it ends.
        }
    }

    private static void waitUntil(BooleanSupplier holds, String what) {
        long end = System.nanoTime() + World.PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void nothingIsLeft(SandboxEgress sandbox, long descriptorsBefore) {
        waitUntil(() -> sandbox.usage().open() == 0, "all connections are over");
        waitUntil(() -> world.egress.pools().heldBytes().taken() == 0, "nothing is held");
        waitUntil(() -> world.egress.pools().firstBytes().taken() == 0, "no first bytes are held");
        waitUntil(() -> world.egress.pools().connections().taken() == 0, "no place is taken");
        waitUntil(() -> descriptors() <= descriptorsBefore + SPARE_DESCRIPTORS, "no socket is left");
    }

    /// The guest sends to a host that does not read, until all buffers are full; then the host resets.
    @Test
    void aHostThatResetsWhileBytesAreHeldForIt() throws IOException {
        world.serve(ADDRESS, PORT, socket -> {
            await();
            socket.setSoLinger(true, 0);
        });
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        List<Socket> guests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Socket guest = world.dial(sandbox, ADDRESS, PORT);
            guests.add(guest);
            Thread.ofVirtual().start(() -> flood(guest));
        }
        waitUntil(() -> world.egress.pools().heldBytes().taken() >= 6L * SpliceLoop.BUFFER_BYTES, "bytes are held");
        mayEnd.countDown();
        for (Socket guest : guests) {
            // The thread that writes may be the one that is told of the reset.
            assertThat(World.receive(guest)).isIn("[reset]", "");
            guest.close();
        }
        nothingIsLeft(sandbox, before);
    }

    /// The same, but it is the guest that resets, and the host goes on not to read.
    @Test
    void aGuestThatResetsWhileItsBytesAreHeld() throws IOException {
        world.serve(ADDRESS, PORT, _ -> await());
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        List<Socket> guests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Socket guest = world.dial(sandbox, ADDRESS, PORT);
            guests.add(guest);
            Thread.ofVirtual().start(() -> flood(guest));
        }
        waitUntil(() -> world.egress.pools().heldBytes().taken() >= 6L * SpliceLoop.BUFFER_BYTES, "bytes are held");
        for (Socket guest : guests) {
            guest.setSoLinger(true, 0);
            guest.close();
        }
        waitUntil(() -> sandbox.usage().open() == 0, "the resets are noticed");
        mayEnd.countDown();
        nothingIsLeft(sandbox, before);
        world.await(Kind.CONNECTION_ENDED, "broken");
    }

    /// The mirror image: nothing of the guest's is written or read while its host has gone.
    @Test
    void aHostThatResetsWhileItsBytesAreHeld() throws IOException {
        world.serve(ADDRESS, PORT, socket -> {
            Thread.ofVirtual().start(() -> flood(socket));
            await();
            socket.setSoLinger(true, 0);
        });
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        List<Socket> guests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            guests.add(world.dial(sandbox, ADDRESS, PORT));
        }
        waitUntil(() -> world.egress.pools().heldBytes().taken() >= 6L * SpliceLoop.BUFFER_BYTES, "bytes are held");
        mayEnd.countDown();
        nothingIsLeft(sandbox, before);
        for (Socket guest : guests) {
            assertThat(World.receive(guest)).endsWith("[reset]");
            guest.close();
        }
    }

    /// A guest that sent all, ended its side and is then killed.
    @Test
    void aGuestThatResetsAfterItsEnd() throws IOException {
        world.serve(ADDRESS, PORT, socket -> {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            await();
        });
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        Socket guest = world.dial(sandbox, ADDRESS, PORT);
        World.send(guest, "hello");
        guest.shutdownOutput();
        waitUntil(() -> sandbox.usage().sent() == 5, "the bytes are moved");
        guest.setSoLinger(true, 0);
        guest.close();
        waitUntil(() -> sandbox.usage().open() == 0, "the reset is noticed");
        mayEnd.countDown();
        nothingIsLeft(sandbox, before);
    }

    /// Who only ends a side, and whose bytes wait for longer than a break would be let stand, loses none of them.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndIsNoReset(boolean hostEndsToo) throws IOException, InterruptedException {
        byte[] bytes = new byte[8_000_000];
        AtomicLong arrived = new AtomicLong();
        world.serve(ADDRESS, PORT, socket -> {
            if (hostEndsToo) {
                socket.shutdownOutput();
            }
            await();
            arrived.set(socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
        });
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        try (Socket guest = world.dial(sandbox, ADDRESS, PORT)) {
            Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    guest.getOutputStream().write(bytes);
                    guest.shutdownOutput();
                } catch (IOException _) {
                    // What arrived tells.
                }
            });
            waitUntil(() -> world.egress.pools().heldBytes().taken() > 0, "bytes are held");
            Thread.sleep(Limits.EGRESS_LINGER_MAX.plusSeconds(3));
            mayEnd.countDown();
            sending.join();
            assertThat(World.receive(guest)).isEmpty();
        }
        nothingIsLeft(sandbox, before);
        waitUntil(() -> arrived.get() == bytes.length, "all has arrived");
    }

    /// The host sends to a guest that does not read, and goes: by a reset, or by an end that the guest reads first.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHostThatGoesWhileBytesAreHeldForTheGuest(boolean isReset) throws IOException {
        byte[] bytes = new byte[8_000_000];
        world.serve(ADDRESS, PORT, socket -> {
            Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    socket.getOutputStream().write(bytes);
                } catch (IOException _) {
                    // It is reset meanwhile.
                }
            });
            if (isReset) {
                await();
                socket.setSoLinger(true, 0);
                socket.close();
            }
            try {
                sending.join();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
        SandboxEgress sandbox = world.sandbox(OPEN);
        long before = descriptors();
        try (Socket guest = world.dial(sandbox, ADDRESS, PORT)) {
            waitUntil(() -> world.egress.pools().heldBytes().taken() > 0, "bytes are held");
            mayEnd.countDown();
            String all = World.receive(guest);
            if (isReset) {
                assertThat(all).endsWith("[reset]");
            } else {
                assertThat(all).hasSize(bytes.length);
            }
        }
        nothingIsLeft(sandbox, before);
    }

    @Test
    void bothEndsCloseAtOnce() throws IOException {
        world.serve(ADDRESS, PORT, socket -> {
            socket.getOutputStream().write(new byte[100_000]);
            socket.getInputStream().readNBytes(100);
            if (socket.getInputStream().read() % 2 == 0) {
                socket.setSoLinger(true, 0);
            }
        });
        SandboxEgress sandbox = world.sandbox(limited(100, 0));
        long before = descriptors();
        for (int i = 0; i < 60; i++) {
            Socket guest = world.dial(sandbox, ADDRESS, PORT);
            byte[] bytes = new byte[101];
            bytes[100] = (byte) i;
            guest.getOutputStream().write(bytes);
            if (i % 3 == 0) {
                guest.setSoLinger(true, 0);
            } else if (i % 3 == 1) {
                guest.shutdownOutput();
            }
            guest.close();
        }
        nothingIsLeft(sandbox, before);
        assertThat(world.events.stream()
                        .filter(event -> event.kind() == Kind.CONNECTION_ENDED)
                        .count())
                .as("each end is recorded once")
                .isEqualTo(60);
    }

    /// No byte beyond the bound arrives, wherever in a piece it lies, and whichever of many connections moves it.
    @ParameterizedTest
    @ValueSource(longs = {1, 4095, 100_000, 524_288, 524_289, 1_500_000})
    void bytesBeyondABoundDoNotArrive(long bound) throws IOException {
        AtomicLong arrived = new AtomicLong();
        world.serve(ADDRESS, PORT, socket -> {
            byte[] buffer = new byte[10_000];
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                arrived.addAndGet(read);
            }
        });
        SandboxEgress sandbox = world.sandbox(limited(10, bound));
        long before = descriptors();
        List<Socket> guests = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Socket guest = world.dial(sandbox, ADDRESS, PORT);
            guests.add(guest);
            Thread.ofVirtual().start(() -> flood(guest));
        }
        for (Socket guest : guests) {
            // The thread that writes may be the one that is told of the reset.
            assertThat(World.receive(guest)).isIn("[reset]", "");
            guest.close();
        }
        nothingIsLeft(sandbox, before);
        assertThat(arrived.get()).isLessThanOrEqualTo(bound);
        world.await(Kind.CONNECTION_ENDED, "limit.bytes");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4095, 100_000, 600_000})
    void aTunnelsBoundHoldsBothWaysTogether(long bound) throws IOException {
        AtomicLong arrived = new AtomicLong();
        world.serve("10.0.0.7", 5432, socket -> {
            byte[] buffer = new byte[777];
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                arrived.addAndGet(read);
                socket.getOutputStream().write(buffer, 0, read);
            }
        });
        Tunnel tunnel = new Tunnel(new TunnelName("db"), "10.0.0.7", 5432, false, 2, bound, Duration.ofMinutes(5));
        SandboxEgress sandbox = world.sandbox(EgressIT.policy(List.of(), Map.of(), Set.of(tunnel.name())), tunnel);
        long before = descriptors();
        String address = World.lookUp(sandbox, "db.tunnel").getFirst();
        long returned;
        try (Socket guest = world.dial(sandbox, address, 5432)) {
            Thread.ofVirtual().start(() -> flood(guest));
            returned = World.receive(guest).replace("[reset]", "").length();
        }
        EgressEvent ended = world.await(Kind.CONNECTION_ENDED, "limit.tunnel_bytes");
        nothingIsLeft(sandbox, before);
        assertThat(arrived.get() + returned).isLessThanOrEqualTo(bound);
        assertThat(ended.sent() + ended.received()).isGreaterThan(bound);
    }

    /// However many do not read: large pieces are held up to the bound, and beyond it only small ones.
    @Test
    void whatIsHeldForManyStaysWithinItsBound() throws IOException {
        world.serve(ADDRESS, PORT, SpliceIT::flood);
        SandboxEgress sandbox = world.sandbox(limited(250, 0));
        long before = descriptors();
        List<Socket> guests = new ArrayList<>();
        long most = 0;
        for (int i = 0; i < 200; i++) {
            guests.add(world.dial(sandbox, ADDRESS, PORT));
            most = Math.max(most, world.egress.pools().heldBytes().taken());
        }
        for (Socket guest : guests) {
            assertThat(guest.getInputStream().read()).isZero();
            most = Math.max(most, world.egress.pools().heldBytes().taken());
        }
        waitUntil(() -> !sandbox.meter().mayHold(), "the bound is reached");
        assertThat(most).isLessThan(Limits.EGRESS_HELD_BYTES_MAX + SpliceLoop.BUFFER_BYTES);
        for (int i = 0; i < guests.size(); i++) {
            guests.get(i).setSoLinger(i % 2 == 0, 0);
            guests.get(i).close();
        }
        nothingIsLeft(sandbox, before);
    }
}
