package dev.glovebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final SandboxId ID = new SandboxId("iabcdefghij0123456789");
    private static final Principal TENANT = new Principal(new TenantId("alice"), "key", Principal.Role.TENANT);
    private static final Principal ADMIN = new Principal(new TenantId("alice"), "key", Principal.Role.ADMIN);
    private static final Policy POLICY =
            new Policy(Set.of(Tier.WASM), ResourceLimits.DEFAULT, Duration.ofMinutes(5), 1, false);

    private static final ResourceLimits MORE = new ResourceLimits(
            ResourceLimits.DEFAULT.wallTime().plusMillis(1),
            ResourceLimits.DEFAULT.cpuTime(),
            ResourceLimits.DEFAULT.memoryBytes(),
            ResourceLimits.DEFAULT.outputBytes(),
            ResourceLimits.DEFAULT.diskBytes(),
            ResourceLimits.DEFAULT.fileCount());

    private static Command<?> run(ResourceLimits limits) {
        Execution.Code code = new Execution.Code(Language.PYTHON, new byte[0], "main.py");
        return new Command.Run(new RunSpec(
                Optional.empty(),
                code,
                List.of(),
                Map.of(),
                new byte[0],
                Map.of(),
                List.of(),
                false,
                limits,
                NetworkPolicy.CLOSED));
    }

    private static Command<?> create(ResourceLimits limits, Duration lease) {
        return new Command.CreateSandbox(
                new SandboxSpec(Optional.empty(), Language.PYTHON, lease, limits, Map.of(), Map.of()));
    }

    private static Command<?> start(ResourceLimits limits) {
        return new Command.StartProcess(
                ID, new Execution.ProcessSpec(List.of("x"), Optional.empty(), Map.of(), GuestPath.HOME, false, limits));
    }

    private static Command<?> execute(ResourceLimits limits) {
        return new Command.Execute(ID, new ContextId("c1"), "1", Map.of(), limits);
    }

    private static void refused(Principal principal, Command<?> command, ErrorCode code, String... words) {
        GloveboxException refusal =
                catchThrowableOfType(GloveboxException.class, () -> Admission.check(principal, command, POLICY));
        assertThat(refusal).as(command.verb()).isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    private static void allowed(Principal principal, Command<?> command) {
        assertThatCode(() -> Admission.check(principal, command, POLICY))
                .as(command.verb())
                .doesNotThrowAnyException();
    }

    @Test
    void everyCommandThatRunsCodeIsHeldToTheLimits() {
        for (Command<?> command : List.of(run(MORE), create(MORE, Duration.ofMinutes(1)), start(MORE), execute(MORE))) {
            refused(
                    TENANT,
                    command,
                    ErrorCode.POLICY_DENIED,
                    "wall time in ms of 30001 is more than the 30000",
                    "(rule limits.max)");
            refused(ADMIN, command, ErrorCode.POLICY_DENIED, "(rule limits.max)");
        }
        ResourceLimits most = ResourceLimits.DEFAULT;
        for (Command<?> command : List.of(run(most), create(most, Duration.ofMinutes(5)), start(most), execute(most))) {
            allowed(TENANT, command);
        }
    }

    @Test
    void aLeaseIsHeldToThePolicyWhenItBeginsAndWhenItIsExtended() {
        Duration tooLong = Duration.ofMinutes(5).plusSeconds(1);
        for (Command<?> command :
                List.of(create(ResourceLimits.DEFAULT, tooLong), new Command.ExtendLease(ID, tooLong))) {
            refused(TENANT, command, ErrorCode.POLICY_DENIED, "a lease of 301 s", "300 s", "(rule lease.max)");
        }
        allowed(TENANT, new Command.ExtendLease(ID, Duration.ofMinutes(5)));
    }

    @Test
    void theNetworkIsHeldToThePolicyWhenItBeginsAndWhenItIsReplaced() {
        Policy closed = new Policy(Set.of(Tier.WASM), ResourceLimits.DEFAULT, Duration.ofMinutes(5), 1, false, false);
        Command<?> opening = new Command.ReplaceNetwork(ID, NetworkPolicy.OPEN);
        GloveboxException refusal =
                catchThrowableOfType(GloveboxException.class, () -> Admission.check(TENANT, opening, closed));
        assertThat(refusal.code()).isEqualTo(ErrorCode.POLICY_DENIED);
        assertThat(refusal).hasMessageContainingAll("keeps the network of sandboxes closed", "(rule network.open)");
        SandboxSpec spec = new SandboxSpec(
                Optional.empty(),
                Language.PYTHON,
                Optional.empty(),
                Duration.ofMinutes(1),
                ResourceLimits.DEFAULT,
                Map.of(),
                NetworkPolicy.parse(List.of("a.example"), List.of("ALL_TRAFFIC")),
                Map.of());
        assertThat(catchThrowableOfType(
                                GloveboxException.class,
                                () -> Admission.check(TENANT, new Command.CreateSandbox(spec), closed))
                        .code())
                .isEqualTo(ErrorCode.POLICY_DENIED);
        assertThatCode(() -> Admission.check(TENANT, new Command.ReplaceNetwork(ID, NetworkPolicy.CLOSED), closed))
                .doesNotThrowAnyException();
        allowed(TENANT, opening);
        allowed(TENANT, new Command.CreateSandbox(spec));
        allowed(TENANT, new Command.ListSecrets());
    }

    @Test
    void onlyAdministratorsDefineTunnels() {
        TenantId alice = new TenantId("alice");
        Tunnel tunnel = new Tunnel(new TunnelName("db"), "db.example", 5432, true, 1, 0, Duration.ofMinutes(1));
        for (Command<?> command : List.of(
                new Command.PutTunnel(alice, tunnel),
                new Command.ListTunnels(alice),
                new Command.RemoveTunnel(alice, tunnel.name()))) {
            refused(TENANT, command, ErrorCode.FORBIDDEN, command.verb(), "role admin");
            allowed(ADMIN, command);
        }
    }

    @Test
    void onlyAdministratorsHaveToDoWithKeys() {
        for (Command<?> command : List.of(
                new Command.CreateKey(new TenantId("alice"), Principal.Role.TENANT, "mine"),
                new Command.ListKeys(),
                new Command.RevokeKey("e2b_12345678"))) {
            refused(TENANT, command, ErrorCode.FORBIDDEN, command.verb(), "role admin");
            allowed(ADMIN, command);
        }
    }

    @Test
    void whatOnlyLooksNeedsNoMoreThanATenant() {
        allowed(TENANT, new Command.ListSandboxes(Map.of(), 10, Optional.empty()));
        allowed(TENANT, new Command.GetSandbox(ID));
        allowed(TENANT, new Command.KillSandbox(ID));
        allowed(TENANT, new Command.StatFile(ID, GuestPath.ROOT));
    }
}
