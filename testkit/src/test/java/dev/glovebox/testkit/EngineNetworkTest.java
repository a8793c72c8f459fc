package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.Tier;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.egress.UpstreamProxy;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.engine.BoundSecrets;
import dev.glovebox.engine.EgressAudit;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Networks at the gate: grants, tunnels, secrets, and what is on the record.
class EngineNetworkTest {
    private static final NetworkPolicy ONE_NAME =
            NetworkPolicy.parse(List.of("api.example.com"), List.of(NetworkPolicy.ALL_TRAFFIC));

    private static final HostName HOST = new HostName("api.example.com");

    private final EngineBench bench = new EngineBench();

    @AfterEach
    void close() {
        bench.close();
    }

    private static NetworkPolicy withTunnels(String... names) {
        return new NetworkPolicy(
                ONE_NAME.allowOut(),
                ONE_NAME.denyOut(),
                List.of(),
                Set.of(names).stream().map(TunnelName::new).collect(java.util.stream.Collectors.toSet()),
                Optional.of(new UpstreamProxy(
                        "proxy.example", 1080, Optional.of(new UpstreamProxy.Login("me", "hunter2")))),
                NetworkLimits.DEFAULT);
    }

    private static Tunnel tunnel(String name, String host) {
        return new Tunnel(new TunnelName(name), host, 5432, true, 1, 0, Duration.ofMinutes(1));
    }

    private Sandbox create(NetworkPolicy policy) {
        return bench.engine.execute(
                Samples.ALICES_KEY,
                new Command.CreateSandbox(new SandboxSpec(
                        Optional.empty(),
                        Language.PYTHON,
                        Optional.empty(),
                        Limits.LEASE_DEFAULT,
                        ResourceLimits.DEFAULT,
                        Map.of(),
                        policy,
                        Map.of())));
    }

    private static RunSpec reaching(NetworkPolicy policy) {
        RunSpec base = EngineBench.run(GuestTask.HELLO);
        return new RunSpec(
                base.tier(),
                base.code(),
                base.arguments(),
                base.environment(),
                base.input(),
                base.files(),
                base.fetch(),
                base.capture(),
                base.limits(),
                policy);
    }

    private NetworkGrant granted(Sandbox sandbox) {
        return bench.backend.sandbox(sandbox.id()).network();
    }

    private Map<String, String> lastIntent(String verb) {
        return bench.audit.entries(verb).stream()
                .filter(entry -> entry.event().kind() == AuditEvent.Kind.INTENT)
                .reduce((_, last) -> last)
                .orElseThrow()
                .event()
                .details();
    }

    // ---- rules

    @Test
    void whatASandboxMayReachIsGrantedToldAndReplaced() {
        Sandbox sandbox = create(ONE_NAME);
        assertThat(sandbox.tier()).isEqualTo(Tier.GVISOR);
        assertThat(granted(sandbox)).isEqualTo(new NetworkGrant(ONE_NAME, List.of()));
        assertThat(bench.engine.execute(Samples.ALICES_KEY, new Command.InspectNetwork(sandbox.id())))
                .isEqualTo(new Command.NetworkView(ONE_NAME, NetworkUsage.NONE));

        bench.engine.execute(Samples.ALICES_KEY, new Command.ReplaceNetwork(sandbox.id(), NetworkPolicy.CLOSED));
        assertThat(granted(sandbox)).isEqualTo(NetworkGrant.CLOSED);
        assertThat(bench.engine
                        .execute(Samples.ALICES_KEY, new Command.InspectNetwork(sandbox.id()))
                        .policy())
                .isEqualTo(NetworkPolicy.CLOSED);
        assertThat(lastIntent("network.replace")).containsEntry("network", "closed");
        assertThat(bench.audit.entries("network.replace").getFirst().durable()).isTrue();
        assertThat(bench.audit.entries("network.get").getFirst().durable()).isFalse();
    }

    @Test
    void rulesThatCannotBeAppliedAreNotTold() {
        Sandbox sandbox = create(ONE_NAME);
        bench.backend.surprise("replaceNetwork", () -> {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "it does not listen");
        });
        refusal(() -> bench.engine.execute(
                        Samples.ALICES_KEY, new Command.ReplaceNetwork(sandbox.id(), NetworkPolicy.OPEN)))
                .is(ErrorCode.BACKEND_LOST, "does not listen");
        assertThat(granted(sandbox).policy()).isEqualTo(ONE_NAME);
        assertThat(bench.engine
                        .execute(Samples.ALICES_KEY, new Command.InspectNetwork(sandbox.id()))
                        .policy())
                .isEqualTo(ONE_NAME);
    }

    @Test
    void theRecordOfRulesHoldsCountsAndNoSecret() {
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.1")));
        create(withTunnels("db"));
        assertThat(lastIntent("sandbox.create"))
                .containsEntry("network", "closed, allow 1, deny 1, rules 0, tunnels 1, proxy");
        assertThat(bench.audit.entries().toString()).doesNotContain("hunter2");
    }

    @Test
    void aRunIsGrantedItsNetworkToo() {
        AtomicReference<Boolean> known = new AtomicReference<>(false);
        bench.backend.surprise("start", () -> {
            FakeSandbox made = bench.backend.created().getFirst();
            known.set(bench.network.owners().of(made.requirements().sandbox()).equals(Optional.of(Samples.ALICE)));
        });
        RunSpec.Report report = bench.run(Samples.ALICES_KEY, reaching(ONE_NAME), new Recording());
        assertThat(report.tier()).isEqualTo(Tier.GVISOR);
        assertThat(bench.backend.created().getFirst().requirements().network().policy())
                .isEqualTo(ONE_NAME);
        assertThat(known.get()).isTrue();
        SandboxId id = bench.backend.created().getFirst().requirements().sandbox();
        EngineBench.await(
                "the run's owner to be forgotten",
                () -> bench.network.owners().of(id).isEmpty());
    }

    // ---- tunnels

    @Test
    void aPolicyNamesTunnelsThatItsTenantHas() {
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.1")));
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("other", "10.0.0.2")));
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.BOB, tunnel("bobs", "10.0.0.3")));
        assertThat(granted(create(withTunnels("db"))).tunnels()).containsExactly(tunnel("db", "10.0.0.1"));
        refusal(() -> create(withTunnels("db", "bobs")))
                .is(ErrorCode.INVALID_ARGUMENT, "no tunnel bobs", "glovebox tunnel put");
        assertThat(bench.engine.sandboxesRunning()).isEqualTo(1);
    }

    @Test
    void sandboxesFollowTheirTunnelsAtOnce() {
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.1")));
        Sandbox with = create(withTunnels("db"));
        Sandbox without = create(ONE_NAME);
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.9")));
        assertThat(granted(with).tunnels()).containsExactly(tunnel("db", "10.0.0.9"));
        bench.engine.execute(Samples.ADMIN, new Command.RemoveTunnel(Samples.ALICE, new TunnelName("db")));
        assertThat(granted(with).tunnels()).isEmpty();
        assertThat(granted(with).policy()).isEqualTo(withTunnels("db"));
        assertThat(granted(without)).isEqualTo(new NetworkGrant(ONE_NAME, List.of()));
        refusal(() -> bench.engine.execute(
                        Samples.ADMIN, new Command.RemoveTunnel(Samples.ALICE, new TunnelName("db"))))
                .is(ErrorCode.TUNNEL_NOT_FOUND, "no tunnel db of tenant alice");
        assertThat(lastIntent("tunnel.put")).containsEntry("target", "10.0.0.9:5432");
    }

    @Test
    void aTunnelThatIsRemovedWhileItsSandboxComesUpIsNotThere() {
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.1")));
        bench.backend.surprise(
                "create",
                () -> bench.engine.execute(
                        Samples.ADMIN, new Command.RemoveTunnel(Samples.ALICE, new TunnelName("db"))));
        assertThat(granted(create(withTunnels("db"))).tunnels()).isEmpty();
    }

    @Test
    void aRunFollowsItsTunnelsToo() {
        bench.engine.execute(Samples.ADMIN, new Command.PutTunnel(Samples.ALICE, tunnel("db", "10.0.0.1")));
        AtomicReference<NetworkGrant> before = new AtomicReference<>();
        bench.backend.surprise("start", () -> {
            FakeSandbox made = bench.backend.created().getFirst();
            before.set(made.network());
            bench.engine.execute(Samples.ADMIN, new Command.RemoveTunnel(Samples.ALICE, new TunnelName("db")));
        });
        bench.run(Samples.ALICES_KEY, reaching(withTunnels("db")), new Recording());
        assertThat(before.get().tunnels()).containsExactly(tunnel("db", "10.0.0.1"));
        assertThat(bench.backend.created().getFirst().network().tunnels()).isEmpty();
    }

    // ---- secrets

    private void put(String name, String value, String... hosts) {
        bench.engine.execute(
                Samples.ALICES_KEY,
                new Command.PutSecret(
                        new SecretName(name),
                        List.of(hosts).stream().map(HostPattern::parse).toList(),
                        new SecretValue(value)));
    }

    private static HeaderTemplate.Placeholder secret(String name) {
        return new HeaderTemplate.Secret(name);
    }

    @Test
    void aSecretIsSentForItsTenantsSandboxesToItsHostsOnly() {
        put("KEY", "s3cr3t", "api.example.com");
        BoundSecrets source = new BoundSecrets(bench.network.secrets(), bench.network.owners());
        SandboxId alices = create(ONE_NAME).id();
        SandboxId bobs = bench.create(Samples.BOBS_KEY).id();
        assertThat(source.value(alices, secret("KEY"), HOST)).contains("s3cr3t");
        assertThat(source.value(alices, secret("KEY"), new HostName("evil.example")))
                .isEmpty();
        assertThat(source.value(alices, secret("KEY"), new HostName("sub.api.example.com")))
                .isEmpty();
        assertThat(source.value(alices, secret("OTHER"), HOST)).isEmpty();
        assertThat(source.value(alices, new HeaderTemplate.IdentityToken("KEY"), HOST))
                .isEmpty();
        assertThat(source.value(bobs, secret("KEY"), HOST)).isEmpty();
        assertThat(source.value(Samples.sandboxId(404), secret("KEY"), HOST)).isEmpty();
        bench.engine.execute(Samples.ALICES_KEY, new Command.KillSandbox(alices));
        assertThat(source.value(alices, secret("KEY"), HOST)).isEmpty();
    }

    @Test
    void secretsAreListedRemovedAndNeverOnTheRecord() {
        put("KEY", "s3cr3t", "api.example.com", "*.b.example");
        List<Secret> listed = bench.engine.execute(Samples.ALICES_KEY, new Command.ListSecrets());
        assertThat(listed).singleElement().satisfies(secret -> {
            assertThat(secret.name()).isEqualTo(new SecretName("KEY"));
            assertThat(secret.tenant()).isEqualTo(Samples.ALICE);
        });
        assertThat(bench.engine.execute(Samples.BOBS_KEY, new Command.ListSecrets()))
                .isEmpty();
        assertThat(lastIntent("secret.put"))
                .containsEntry("secret", "KEY")
                .containsEntry("hosts", "api.example.com *.b.example");
        assertThat(bench.audit.entries().toString()).doesNotContain("s3cr3t");
        assertThat(new Command.PutSecret(
                                new SecretName("A"), List.of(HostPattern.parse("a.example")), new SecretValue("s3cr3t"))
                        .toString())
                .doesNotContain("s3cr3t");
        refusal(() -> bench.engine.execute(Samples.BOBS_KEY, new Command.RemoveSecret(new SecretName("KEY"))))
                .is(ErrorCode.SECRET_NOT_FOUND, "no secret KEY");
        bench.engine.execute(Samples.ALICES_KEY, new Command.RemoveSecret(new SecretName("KEY")));
        assertThat(bench.engine.execute(Samples.ALICES_KEY, new Command.ListSecrets()))
                .isEmpty();
    }

    // ---- the record of what happens

    private static EgressEvent event(SandboxId sandbox, EgressEvent.Kind kind) {
        return new EgressEvent(
                Samples.NOON,
                sandbox,
                kind,
                "name.not_allowed",
                "evil.example is not in allow out",
                Optional.of(new HostName("evil.example")),
                Optional.of(IpAddress.v4(0x01_02_03_04)),
                443,
                3,
                0,
                0);
    }

    @Test
    void whatNetworksDoIsRecordedWithTenantAndSandbox() {
        SandboxId id = create(ONE_NAME).id();
        try (EgressAudit audit = new EgressAudit(bench.audit, bench.network.owners(), Clock.systemUTC(), _ -> {})) {
            audit.record(event(id, EgressEvent.Kind.CONNECTION_DENIED));
            bench.engine.execute(Samples.ALICES_KEY, new Command.KillSandbox(id));
            // A connection may be over after its sandbox is.
            audit.record(event(id, EgressEvent.Kind.CONNECTION_ENDED));
        }
        assertThat(bench.audit.entries("egress.deny")).singleElement().satisfies(entry -> {
            AuditEvent event = entry.event();
            assertThat(event.at()).isEqualTo(Samples.NOON);
            assertThat(event.kind()).isEqualTo(AuditEvent.Kind.NOTICE);
            assertThat(event.principal().tenant()).isEqualTo(Samples.ALICE);
            assertThat(event.subject()).isEqualTo(id.value());
            assertThat(event.details())
                    .containsEntry("rule", "name.not_allowed")
                    .containsEntry("name", "evil.example")
                    .containsEntry("address", "1.2.3.4")
                    .containsEntry("times", "3");
        });
        assertThat(bench.audit.entries("egress.end"))
                .singleElement()
                .satisfies(
                        entry -> assertThat(entry.event().principal().tenant()).isEqualTo(Samples.ALICE));
    }

    @Test
    void aSlowDiskHoldsNobodyUpAndWhatIsLeftOutIsCounted() throws InterruptedException {
        SandboxId id = create(ONE_NAME).id();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch isStuck = new CountDownLatch(1);
        bench.audit.failFor(event -> {
            if (event.verb().equals("egress.allow")) {
                isStuck.countDown();
                try {
                    stuck.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return false;
        });
        AtomicLong dropped = new AtomicLong();
        long more = 100;
        try (EgressAudit audit =
                new EgressAudit(bench.audit, bench.network.owners(), Clock.systemUTC(), dropped::addAndGet)) {
            audit.record(event(id, EgressEvent.Kind.CONNECTION_ALLOWED));
            isStuck.await();
            for (int i = 0; i < Limits.EGRESS_RECORDS_WAITING_MAX + more; i++) {
                audit.record(event(id, EgressEvent.Kind.NAME_DENIED));
            }
            stuck.countDown();
        }
        assertThat(dropped).hasValue(more);
        assertThat(bench.audit.entries("egress.dns.deny")).hasSize(Limits.EGRESS_RECORDS_WAITING_MAX);
        assertThat(bench.audit.entries("egress.dropped"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.event().details()).containsEntry("records", "100"));
    }

    @Test
    void anAuditLogThatCannotBeWrittenCountsAsLeftOut() {
        AtomicLong dropped = new AtomicLong();
        bench.audit.failFor(_ -> true);
        try (EgressAudit audit =
                new EgressAudit(bench.audit, bench.network.owners(), Clock.systemUTC(), dropped::addAndGet)) {
            audit.record(event(Samples.sandboxId(1), EgressEvent.Kind.CONNECTION_DENIED));
        }
        assertThat(dropped).hasValue(1);
        bench.audit.failFor(_ -> false);
    }
}
