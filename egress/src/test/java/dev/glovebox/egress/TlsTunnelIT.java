package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.egress.EgressEvent.Kind;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How connections through a tunnel end whose service speaks TLS.
class TlsTunnelIT {
    private static final String NAME = "db.internal.example";
    private static final String ADDRESS = "10.0.0.8";
    private static final Tunnel TUNNEL =
            new Tunnel(new TunnelName("web"), NAME, 443, true, 2, 0, Duration.ofMinutes(5));

    private final World world = new World();
    private final SandboxEgress sandbox =
            world.sandbox(EgressIT.policy(List.of(), Map.of(), Set.of(TUNNEL.name())), TUNNEL);

    @BeforeEach
    void name() {
        world.name(NAME, ADDRESS);
    }

    @AfterEach
    void close() throws IOException {
        world.close();
    }

    /// A service may answer before it has read all, and go: by an end, or by a reset.
    @ParameterizedTest
    @CsvSource({"TLSv1.3,false", "TLSv1.3,true", "TLSv1.2,false", "TLSv1.2,true"})
    void whatATunnelsServiceSentBeforeItWentIsDelivered(String version, boolean isReset) throws IOException {
        byte[] answer = new byte[20_000];
        Arrays.fill(answer, (byte) 'a');
        world.serve(ADDRESS, 443, socket -> {
            socket.setTcpNoDelay(true);
            SSLSocket tls = world.tls(socket, NAME);
            tls.setEnabledProtocols(new String[] {version});
            tls.getInputStream().readNBytes(1000);
            tls.getOutputStream().write(answer);
            if (!isReset) {
                tls.shutdownOutput();
            }
            // What the service itself loses with its reset is lost.
            pause(isReset ? 100 : 0);
            socket.setSoLinger(isReset, 0);
            socket.close();
        });
        String address = World.lookUp(sandbox, "web.tunnel").getFirst();
        for (int round = 0; round < 3; round++) {
            try (Socket guest = world.dial(sandbox, address, 443)) {
                Thread.ofVirtual().start(() -> {
                    try {
                        guest.getOutputStream().write(new byte[30_000_000]);
                    } catch (IOException _) {
                        // Nobody reads the rest.
                    }
                });
                pause(300);
                assertThat(World.receive(guest)).isEqualTo("a".repeat(answer.length) + (isReset ? "[reset]" : ""));
            }
            world.await(Kind.CONNECTION_ENDED, isReset ? "broken" : "closed");
            world.events.clear();
        }
    }

    @Test
    void aResetOfATunnelsServiceGoesThrough() throws IOException {
        world.serve(ADDRESS, 443, socket -> {
            socket.setTcpNoDelay(true);
            SSLSocket tls = world.tls(socket, NAME);
            tls.getInputStream().read();
            World.send(tls, "half of");
            pause(50);
            socket.setSoLinger(true, 0);
            socket.close();
        });
        try (Socket guest =
                world.dial(sandbox, World.lookUp(sandbox, "web.tunnel").getFirst(), 443)) {
            World.send(guest, "x");
            assertThat(World.receive(guest)).isEqualTo("half of[reset]");
        }
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
