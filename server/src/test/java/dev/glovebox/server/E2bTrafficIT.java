package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Command;
import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.server.e2b.SandboxFacts;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which requests reach which port of which sandbox, over a real server; what serves the ports only says which it was
/// called for.
@Timeout(60)
final class E2bTrafficIT {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static SandboxId sandbox(boolean secured, boolean publicTraffic) {
        SandboxFacts facts = new SandboxFacts(Optional.of("base"), secured, publicTraffic, Optional.empty());
        return sandbox(facts.into(Map.of()));
    }

    private static SandboxId sandbox(Map<String, String> metadata) {
        SandboxSpec spec = new SandboxSpec(
                Optional.of(Tier.GVISOR),
                Language.PYTHON,
                Duration.ofMinutes(5),
                ResourceLimits.DEFAULT,
                Map.of(),
                metadata);
        return server.gate
                .execute(
                        new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.CreateSandbox(spec))
                .id();
    }

    private static RawHttp.Reply ask(String host, String headers) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET /some/path HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n");
            return http.reply();
        }
    }

    private static String to(SandboxId id, int port) {
        return "E2b-Sandbox-Id: " + id + "\r\nE2b-Sandbox-Port: " + port + "\r\n";
    }

    @Test
    void findsTheSandboxByNameAndByHeaders() throws IOException {
        SandboxId id = sandbox(true, true);
        assertThat(ask("8000-" + id + ".box.test:8443", "").body()).isEqualTo(id + " 8000 /some/path");
        assertThat(ask("localhost:7070", to(id, 8000)).body()).isEqualTo(id + " 8000 /some/path");
        assertThat(ask("shared.test", to(id, 49_983)).body()).isEqualTo(id + " 49983 /some/path");
        // Without headers a shared host is the server itself.
        assertThat(ask("localhost", "").body()).contains("route_not_found");
    }

    @Test
    void noHeaderLeadsFromOneSandboxToAnother() throws IOException {
        SandboxId mine = sandbox(true, true);
        SandboxId theirs = sandbox(true, true);
        assertThat(ask("8000-" + mine + ".box.test", to(theirs, 49_983)).body()).isEqualTo(mine + " 8000 /some/path");
        assertThat(ask("evil.test", to(theirs, 49_983)).body()).contains("Invalid host");
        assertThat(ask("api.box.test", to(theirs, 49_983)).body()).contains("Invalid host");
        assertThat(ask("evil.test", to(theirs, 49_983) + "X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n")
                        .body())
                .contains("Invalid host");
        assertThat(ask("evil.test\r\nHost: localhost", to(theirs, 49_983)).status())
                .isEqualTo(400);
    }

    @Test
    void answersAtOnceForADeadSandbox() throws IOException {
        SandboxId id = sandbox(true, true);
        assertThat(ask("localhost", to(id, 49_983)).status()).isEqualTo(200);
        server.gate.execute(
                new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.KillSandbox(id));
        RawHttp.Reply reply = ask("8000-" + id + ".box.test", "");
        assertThat(reply.status()).isEqualTo(502);
        assertThat(reply.body())
                .isEqualTo("{\"sandboxId\":\"" + id + "\",\"message\":\"The sandbox was not found\",\"code\":502}");
        RawHttp.Reply page = ask("8000-" + id + ".box.test", "Accept: text/html,*/*\r\nUser-Agent: Mozilla/5.0\r\n");
        assertThat(page.status()).isEqualTo(502);
        assertThat(page.header("Content-Type")).startsWith("text/html");
        assertThat(page.body()).contains("<h1>The sandbox was not found</h1>");
    }

    @Test
    void wantsTheTrafficTokenWhereTrafficIsNotPublic() throws IOException {
        SandboxId id = sandbox(true, false);
        SandboxId other = sandbox(true, false);
        String host = "8000-" + id + ".box.test";
        assertThat(ask(host, "").status()).isEqualTo(403);
        assertThat(ask(host, "").body()).contains("'e2b-traffic-access-token' is missing");
        for (String wrong : new String[] {
            server.tokens.traffic(other), server.tokens.access(id), "", server.tokens.traffic(id) + "0"
        }) {
            assertThat(ask(host, "e2b-traffic-access-token: " + wrong + "\r\n").status())
                    .as(wrong)
                    .isEqualTo(403);
        }
        assertThat(ask(host, "e2b-traffic-access-token: " + server.tokens.traffic(id) + "\r\n")
                        .body())
                .isEqualTo(id + " 8000 /some/path");
        // Envd asks for a token of its own.
        assertThat(ask("localhost", to(id, 49_983)).status()).isEqualTo(200);
    }

    @Test
    void wantsATokenAtTheInterpreterOfASecuredSandbox() throws IOException {
        SandboxId id = sandbox(true, true);
        assertThat(ask("localhost", to(id, 49_999)).status()).isEqualTo(403);
        assertThat(ask("localhost", to(id, 49_999) + "X-Access-Token: " + server.tokens.access(id) + "\r\n")
                        .status())
                .isEqualTo(200);
        assertThat(ask("localhost", to(id, 49_999) + "E2B-Traffic-Access-Token: " + server.tokens.traffic(id) + "\r\n")
                        .status())
                .isEqualTo(200);
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET /health HTTP/1.1\r\nHost: localhost\r\n" + to(id, 49_999) + "\r\n");
            assertThat(http.reply().status()).isEqualTo(200);
        }
        SandboxId open = sandbox(false, true);
        assertThat(ask("localhost", to(open, 49_999)).status()).isEqualTo(200);
    }

    @Test
    void opensNothingOfASandboxThatOthersMade() throws IOException {
        SandboxId id = sandbox(Map.of());
        assertThat(ask("8000-" + id + ".box.test", "").status()).isEqualTo(403);
        assertThat(ask("localhost", to(id, 49_999)).status()).isEqualTo(403);
    }
}
