package dev.glovebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QuotasTest {
    private static final TenantId ALICE = new TenantId("alice");
    private static final TenantId BOB = new TenantId("bob");

    private final Quotas quotas = new Quotas();

    private static Policy sandboxes(int max) {
        return new Policy(Set.of(), ResourceLimits.DEFAULT, Duration.ofMinutes(5), max, false);
    }

    private static void refused(ErrorCode code, Runnable taking, String... words) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, taking::run);
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    @Test
    void aTenantHasAsManySandboxesAsItsPolicySays() {
        quotas.takeSandbox(ALICE, sandboxes(2));
        quotas.takeSandbox(ALICE, sandboxes(2));
        refused(ErrorCode.QUOTA_EXCEEDED, () -> quotas.takeSandbox(ALICE, sandboxes(2)), "has 2 sandboxes", "end one");
        quotas.takeSandbox(BOB, sandboxes(1));
        assertThat(quotas.sandboxesOfAll()).isEqualTo(3);
        quotas.giveSandbox(ALICE);
        quotas.takeSandbox(ALICE, sandboxes(2));
    }

    @Test
    void aPolicyOfNoneMeansNone() {
        refused(ErrorCode.QUOTA_EXCEEDED, () -> quotas.takeSandbox(ALICE, sandboxes(0)), "has 0 sandboxes");
        assertThat(quotas.sandboxesOfAll()).isZero();
    }

    @Test
    void theServerHasABoundOfItsOwn() {
        for (int i = 0; i < Limits.SANDBOXES_MAX; i++) {
            quotas.takeSandbox(new TenantId("t" + i), sandboxes(1));
        }
        refused(ErrorCode.OVERLOADED, () -> quotas.takeSandbox(ALICE, sandboxes(1)), "this server has 1000 sandboxes");
        quotas.giveSandbox(new TenantId("t0"));
        quotas.takeSandbox(ALICE, sandboxes(1));
    }

    @Test
    void runsHaveABoundByTenant() {
        for (int i = 0; i < Limits.RUNS_PER_TENANT_MAX; i++) {
            quotas.takeRun(ALICE);
        }
        refused(ErrorCode.QUOTA_EXCEEDED, () -> quotas.takeRun(ALICE), "has 512 runs under way");
        quotas.takeRun(BOB);
        quotas.giveRun(ALICE);
        quotas.takeRun(ALICE);
    }
}
