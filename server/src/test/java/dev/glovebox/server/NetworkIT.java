package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.NetworkUsageReport;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.SecretRequest;
import dev.glovebox.wire.api.SecretResponse;
import dev.glovebox.wire.api.TunnelRequest;
import dev.glovebox.wire.api.TunnelResponse;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Networks, secrets and tunnels through the native API and its client.
final class NetworkIT {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void refused(ThrowingCallable call, int status, String code, String... words) {
        ApiException refusal = catchThrowableOfType(ApiException.class, call);
        assertThat(refusal.problem().status()).isEqualTo(status);
        assertThat(refusal.code()).isEqualTo(code);
        for (String word : words) {
            assertThat(refusal.detail()).contains(word);
        }
    }

    private static SandboxRequest request(String tier, @Nullable NetworkRules rules) {
        return new SandboxRequest(tier, "python", null, null, null, null, null, rules);
    }

    private static NetworkRules rules() {
        return new NetworkRules(
                null,
                null,
                List.of("api.example.com"),
                null,
                Map.of(
                        "api.example.com",
                        List.of(new NetworkRules.HostRule(
                                new NetworkRules.Transform(Map.of("X-Key", "${secrets.KEY}"))))),
                null,
                new NetworkRules.EgressProxy("proxy.example:1080", "me", "hunter2"),
                null);
    }

    @Test
    void aSandboxTellsAndReplacesWhatItMayReach() {
        try (Glovebox client = server.client(server.tenantKey)) {
            Sandbox sandbox = client.sandboxes().create(request("gvisor", rules()));
            NetworkResponse now = sandbox.network();
            assertThat(now.policy().allowOut()).containsExactly("api.example.com");
            assertThat(now.policy().denyOut()).containsExactly("ALL_TRAFFIC");
            assertThat(now.policy().rules()).isEqualTo(rules().rules());
            assertThat(now.policy().egressProxy())
                    .isEqualTo(new NetworkRules.EgressProxy("proxy.example:1080", "me", null));
            assertThat(now.usage()).isEqualTo(new NetworkUsageReport(1, 22, 333, 4444, 55_555));

            NetworkResponse next = sandbox.replaceNetwork(NetworkRules.allowing(List.of("1.2.3.4:5432")));
            assertThat(next.policy().allowOut()).containsExactly("1.2.3.4:5432");
            assertThat(next.policy().rules()).isNull();
            refused(
                    () -> sandbox.replaceNetwork(NetworkRules.allowing(List.of("*"))),
                    400,
                    "invalid_argument",
                    "to open everything, write ALL_TRAFFIC");
            assertThat(sandbox.network().policy().allowOut()).containsExactly("1.2.3.4:5432");
            sandbox.kill();
        }
    }

    @Test
    void whoAsksForNothingGetsNothing() {
        try (Glovebox client = server.client(server.tenantKey)) {
            Sandbox sandbox = client.sandboxes().create(request("wasm", null));
            assertThat(sandbox.network().policy().allowOut()).isEmpty();
            assertThat(sandbox.network().policy().denyOut()).containsExactly("ALL_TRAFFIC");
            refused(
                    () -> sandbox.replaceNetwork(NetworkRules.allowing(List.of("a.example"))),
                    501,
                    "unsupported",
                    "no network");
            refused(
                    () -> client.sandboxes().create(request("wasm", NetworkRules.allowing(List.of("a.example")))),
                    501,
                    "unsupported",
                    "no network");
            try (Glovebox other = server.client(server.otherKey)) {
                refused(() -> other.sandboxes().get(sandbox.id()).network(), 404, "sandbox_not_found");
            }
            sandbox.kill();
        }
    }

    @Test
    void secretsGoInAndAreNeverTold() {
        try (Glovebox client = server.client(server.tenantKey);
                Glovebox other = server.client(server.otherKey)) {
            SecretResponse kept = client.secrets()
                    .put("KEY", new SecretRequest(List.of("api.example.com", "*.b.example"), "s3cr3t-value"));
            assertThat(kept.hosts()).containsExactly("api.example.com", "*.b.example");
            assertThat(server.gate.network.values).containsEntry("KEY", new SecretValue("s3cr3t-value"));
            assertThat(client.secrets().list()).containsExactly(kept);
            assertThat(kept.toString()).doesNotContain("s3cr3t");
            assertThat(other.secrets().list()).isEmpty();
            refused(() -> other.secrets().remove("KEY"), 404, "secret_not_found");
            client.secrets().remove("KEY");
            refused(() -> client.secrets().remove("KEY"), 404, "secret_not_found");
        }
    }

    @Test
    void refusesSecretsInWordsThatDoNotRepeatThem() {
        try (Glovebox client = server.client(server.tenantKey)) {
            refused(
                    () -> client.secrets().put("KEY", new SecretRequest(List.of(), "s3cr3t")),
                    400,
                    "invalid_argument",
                    "bound to 0 hosts");
            refused(
                    () -> client.secrets().put("bad.name", new SecretRequest(List.of("a.example"), "s3cr3t")),
                    400,
                    "invalid_argument",
                    "a secret's name");
            ApiException refusal = catchThrowableOfType(
                    ApiException.class,
                    () -> client.secrets().put("KEY", new SecretRequest(List.of("a.example"), "s3cr3t\r\nX: y")));
            assertThat(refusal.detail()).contains("printable ASCII").doesNotContain("s3cr3t");
            refused(
                    () -> client.secrets().put("KEY", new SecretRequest(List.of("a.example"), "x".repeat(4097))),
                    400,
                    "invalid_argument",
                    "4097",
                    "4096");
        }
    }

    @Test
    void administratorsDefineTunnelsAndNobodyElse() {
        TunnelRequest request = new TunnelRequest("other", "10.1.2.3", 5432, true, 3, 1000L, 60L);
        try (Glovebox admin = server.client(server.adminKey);
                Glovebox tenant = server.client(server.tenantKey)) {
            TunnelResponse made = admin.tunnels().put("orders-db", request);
            assertThat(made).isEqualTo(new TunnelResponse("orders-db", "other", "10.1.2.3", 5432, true, 3, 1000, 60));
            assertThat(admin.tunnels().list("other")).containsExactly(made);
            assertThat(admin.tunnels().list(null)).isEmpty();
            assertThat(admin.tunnels().put("plain", new TunnelRequest(null, "db.internal", 1, null, null, null, null)))
                    .isEqualTo(new TunnelResponse("plain", "default", "db.internal", 1, false, 16, 0, 600));
            refused(() -> tenant.tunnels().list(null), 403, "forbidden");
            refused(() -> tenant.tunnels().put("x", request), 403, "forbidden");
            refused(() -> tenant.tunnels().remove("orders-db", "other"), 403, "forbidden");
            refused(() -> admin.tunnels().remove("orders-db", null), 404, "tunnel_not_found");
            admin.tunnels().remove("orders-db", "other");
            admin.tunnels().remove("plain", null);
            refused(
                    () -> admin.tunnels()
                            .put("x", new TunnelRequest(null, "db.internal", 70_000, null, null, null, null)),
                    400,
                    "invalid_argument",
                    "70000",
                    "1..65535");
        }
    }
}
