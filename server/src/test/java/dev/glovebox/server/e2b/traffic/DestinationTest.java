package dev.glovebox.server.e2b.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.SandboxId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DestinationTest {
    private static final String ID = "iabcdefghij0123456789";
    private static final String OTHER = "i9876543210jihgfedcba";
    private static final TrafficHosts HOSTS =
            TrafficHosts.of(List.of("glovebox.localhost:8443", "Box.Example.Org"), List.of("Shared.Example.org:7070"));

    private static Destination of(String authority) {
        return Destination.of(HOSTS, authority, List.of(), List.of());
    }

    private static Destination of(String authority, String id, String port) {
        return Destination.of(HOSTS, authority, List.of(id), List.of(port));
    }

    private static Destination.Port port(String id, int port) {
        return new Destination.Port(new SandboxId(id), port);
    }

    private static void assertRefused(Destination destination, int status, String words) {
        assertThat(destination).isInstanceOfSatisfying(Destination.Refused.class, refused -> {
            assertThat(refused.status()).isEqualTo(status);
            assertThat(refused.message()).contains(words);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8000-" + ID + ".glovebox.localhost:8443",
                "8000-" + ID + ".glovebox.localhost",
                "8000-" + ID + ".glovebox.localhost.",
                "8000-" + ID + ".GLOVEBOX.localhost:1",
                "8000-" + ID + ".box.example.org",
                "8000-" + ID + "-client.box.example.org",
            })
    void aNameBelowADomainSaysItAll(String authority) {
        assertThat(of(authority)).isEqualTo(port(ID, 8000));
        // Whatever headers say: they are not heeded where a name says it.
        assertThat(of(authority, OTHER, "49983")).isEqualTo(port(ID, 8000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:7070",
                "127.0.0.1:7070",
                "10.1.2.3",
                "[::1]:7070",
                "[::1]",
                "sandbox.glovebox.localhost:8443",
                "sandbox.box.example.org",
                "shared.example.org",
            })
    void headersSayItOnSharedHosts(String authority) {
        assertThat(of(authority, ID, "49983")).isEqualTo(port(ID, 49_983));
        assertThat(of(authority, ID + "-client", "49983")).isEqualTo(port(ID, 49_983));
        assertThat(of(authority)).isEqualTo(new Destination.Server());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example.com",
                "box.example.org",
                "api.box.example.org",
                "sandbox.evil.example.com",
                "localhost.evil.example.com",
                "shared.example.org.evil.example.com",
                "127.0.0.1.evil.example.com",
                "xglovebox.localhost",
                "",
            })
    void headersSayNothingAnywhereElse(String authority) {
        assertRefused(of(authority, ID, "49983"), 400, "Invalid host");
        assertThat(of(authority)).isEqualTo(new Destination.Server());
    }

    @Test
    void anotherNameBelowADomainIsNoPort() {
        assertRefused(of("www.glovebox.localhost"), 400, "Invalid host");
        assertRefused(of("8000-" + ID + ".x.glovebox.localhost"), 400, "Invalid host");
        assertRefused(of("x-" + ID + ".glovebox.localhost"), 400, "Invalid host");
        assertRefused(of("8000-" + ID + "-a-b.glovebox.localhost"), 400, "Invalid host");
        assertRefused(of("99999-" + ID + ".glovebox.localhost"), 400, "Invalid sandbox port");
        assertRefused(of("0-" + ID + ".glovebox.localhost"), 400, "Invalid sandbox port");
        assertRefused(of("8000-gone.glovebox.localhost"), 502, "The sandbox was not found");
    }

    @Test
    void bothHeadersAreNeededOnce() {
        assertRefused(Destination.of(HOSTS, "localhost", List.of(ID), List.of()), 400, "both and each once");
        assertRefused(Destination.of(HOSTS, "localhost", List.of(), List.of("80")), 400, "both and each once");
        assertRefused(Destination.of(HOSTS, "localhost", List.of(ID, OTHER), List.of("80")), 400, "each once");
        assertRefused(of("localhost", ID + "/../" + OTHER, "80"), 400, "Invalid sandbox ID");
        assertRefused(of("localhost", "", "80"), 400, "Invalid sandbox ID");
        assertRefused(of("localhost", ID, "80, 81"), 400, "Invalid sandbox port");
        assertRefused(of("localhost", ID, "-1"), 400, "Invalid sandbox port");
        assertRefused(of("localhost", ID, "65536"), 400, "Invalid sandbox port");
    }

    @Test
    void tellsTheDomainToThoseWhoCameByApi() {
        assertThat(HOSTS.domainFor("api.glovebox.localhost:8443")).contains("glovebox.localhost:8443");
        assertThat(HOSTS.domainFor("api.box.example.org")).contains("box.example.org");
        assertThat(HOSTS.domainFor("localhost:7070")).isEmpty();
        assertThat(HOSTS.domainFor("api.evil.example.com")).isEmpty();
        assertThat(HOSTS.domainFor("[::1]:7070")).isEmpty();
    }

    @Test
    void refusesDomainsThatAreNone() {
        for (String bad : List.of("", "*.example.org", "a..b", "-x", "a b")) {
            assertThatThrownBy(() -> TrafficHosts.of(List.of(bad), List.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
