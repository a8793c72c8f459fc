package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.core.store.SecretStore;
import dev.glovebox.core.store.TunnelStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every store of secrets and tunnels promises. A store's test extends this and says how one is opened.
public abstract class NetworkStoreConformance {
    private SecretStore secrets;
    private TunnelStore tunnels;
    private AutoCloseable store;

    /// The two ports of one store.
    ///
    /// @param close ends it
    public record Ports(SecretStore secrets, TunnelStore tunnels, AutoCloseable close) {}

    /// A new, empty store.
    protected abstract Ports open() throws Exception;

    @BeforeEach
    final void openStore() throws Exception {
        Ports ports = open();
        secrets = ports.secrets();
        tunnels = ports.tunnels();
        store = ports.close();
    }

    @AfterEach
    final void closeStore() throws Exception {
        store.close();
    }

    private static Secret secret(TenantId tenant, String name, String... hosts) {
        return new Secret(
                tenant,
                new SecretName(name),
                Stream.of(hosts).map(HostPattern::parse).toList(),
                Samples.NOON);
    }

    private static Tunnel tunnel(String name, String host) {
        return new Tunnel(new TunnelName(name), host, 5432, true, 7, 1L << 40, Duration.ofMillis(1234));
    }

    @Test
    void aSecretComesBackWithItsHosts() {
        Secret secret = secret(Samples.ALICE, "GITHUB", "api.github.com", "*.github.example");
        secrets.put(secret, new SecretValue("s3cr3t ~!"));
        assertThat(secrets.list(Samples.ALICE)).containsExactly(secret);
        assertThat(secrets.open(Samples.ALICE, secret.name()))
                .contains(new SecretStore.Opened(secret, new SecretValue("s3cr3t ~!")));
    }

    @Test
    void puttingAgainReplacesValueAndHosts() {
        secrets.put(secret(Samples.ALICE, "A", "old.example"), new SecretValue("old"));
        Secret next = secret(Samples.ALICE, "A", "new.example");
        secrets.put(next, new SecretValue("new"));
        assertThat(secrets.list(Samples.ALICE)).containsExactly(next);
        assertThat(secrets.open(Samples.ALICE, next.name()))
                .contains(new SecretStore.Opened(next, new SecretValue("new")));
    }

    @Test
    void tenantsHaveSecretsOfTheirOwn() {
        secrets.put(secret(Samples.ALICE, "B", "b.example"), new SecretValue("hers"));
        secrets.put(secret(Samples.ALICE, "A", "a.example"), new SecretValue("hers too"));
        secrets.put(secret(Samples.BOB, "A", "a.example"), new SecretValue("his"));
        assertThat(secrets.list(Samples.ALICE))
                .extracting(secret -> secret.name().value())
                .containsExactly("A", "B");
        assertThat(secrets.open(Samples.BOB, new SecretName("B"))).isEmpty();
        assertThat(secrets.remove(Samples.BOB, new SecretName("B"))).isFalse();
        assertThat(secrets.remove(Samples.ALICE, new SecretName("A"))).isTrue();
        assertThat(secrets.open(Samples.ALICE, new SecretName("A"))).isEmpty();
        assertThat(secrets.open(Samples.BOB, new SecretName("A")))
                .get()
                .extracting(opened -> opened.value().text())
                .isEqualTo("his");
    }

    @Test
    void aTenantHasSoManySecretsAndNoMore() {
        for (int i = 0; i < Limits.SECRETS_PER_TENANT_MAX; i++) {
            secrets.put(secret(Samples.ALICE, "S" + i, "a.example"), new SecretValue("x"));
        }
        refusal(() -> secrets.put(secret(Samples.ALICE, "MORE", "a.example"), new SecretValue("x")))
                .is(ErrorCode.QUOTA_EXCEEDED, "already has 100 secrets");
        secrets.put(secret(Samples.ALICE, "S0", "b.example"), new SecretValue("y"));
        secrets.put(secret(Samples.BOB, "MORE", "a.example"), new SecretValue("x"));
        assertThat(secrets.list(Samples.ALICE)).hasSize(Limits.SECRETS_PER_TENANT_MAX);
    }

    @Test
    void tunnelsComeBackAreReplacedAndRemoved() {
        tunnels.put(Samples.ALICE, tunnel("orders-db", "10.1.2.3"));
        tunnels.put(Samples.ALICE, tunnel("cache", "cache.internal"));
        tunnels.put(Samples.BOB, tunnel("orders-db", "10.9.9.9"));
        assertThat(tunnels.list(Samples.ALICE))
                .containsExactly(tunnel("cache", "cache.internal"), tunnel("orders-db", "10.1.2.3"));
        tunnels.put(Samples.ALICE, tunnel("orders-db", "10.4.4.4"));
        assertThat(tunnels.list(Samples.ALICE))
                .contains(tunnel("orders-db", "10.4.4.4"))
                .hasSize(2);
        assertThat(tunnels.remove(Samples.ALICE, new TunnelName("orders-db"))).isTrue();
        assertThat(tunnels.remove(Samples.ALICE, new TunnelName("orders-db"))).isFalse();
        assertThat(tunnels.list(Samples.BOB)).isEqualTo(List.of(tunnel("orders-db", "10.9.9.9")));
    }

    @Test
    void aTenantHasSoManyTunnelsAndNoMore() {
        for (int i = 0; i < Limits.TUNNELS_PER_TENANT_MAX; i++) {
            tunnels.put(Samples.ALICE, tunnel("t" + i, "10.0.0.1"));
        }
        refusal(() -> tunnels.put(Samples.ALICE, tunnel("more", "10.0.0.1")))
                .is(ErrorCode.QUOTA_EXCEEDED, "already has 64 tunnels");
        tunnels.put(Samples.ALICE, tunnel("t0", "10.0.0.2"));
        assertThat(tunnels.list(Samples.ALICE)).hasSize(Limits.TUNNELS_PER_TENANT_MAX);
    }
}
