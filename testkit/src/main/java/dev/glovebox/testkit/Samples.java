package dev.glovebox.testkit;

import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.audit.AuditEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Values for tests where any will do.
public final class Samples {
    public static final Instant NOON = Instant.parse("2026-11-30T12:00:00.123456Z");
    public static final TenantId ALICE = new TenantId("alice");
    public static final TenantId BOB = new TenantId("bob");
    public static final Principal ALICES_KEY = new Principal(ALICE, "e2b_alice", Principal.Role.TENANT);
    public static final Principal BOBS_KEY = new Principal(BOB, "e2b_bob", Principal.Role.TENANT);
    public static final Principal ADMIN = new Principal(TenantId.DEFAULT, "e2b_admin", Principal.Role.ADMIN);

    private Samples() {}

    /// The id of sandbox number `number`.
    public static SandboxId sandboxId(int number) {
        String digits = Integer.toString(number);
        return new SandboxId("i" + "a".repeat(20 - digits.length()) + digits);
    }

    /// A sandbox of Alice that runs, made `number` seconds after noon.
    public static Sandbox running(int number) {
        return running(number, ALICE, Map.of());
    }

    public static Sandbox running(int number, TenantId tenant, Map<String, String> metadata) {
        Instant created = NOON.plusSeconds(number);
        return new Sandbox(
                sandboxId(number),
                tenant,
                Tier.WASM,
                "asked for by name",
                Language.PYTHON,
                "",
                new SandboxState.Running(created),
                created,
                created.plus(Duration.ofMinutes(5)),
                ResourceLimits.DEFAULT,
                metadata);
    }

    /// An intent of Alice about `subject`.
    public static AuditEvent intent(String subject) {
        return event(AuditEvent.Kind.INTENT, subject, Map.of("tier", "auto"));
    }

    public static AuditEvent event(AuditEvent.Kind kind, String subject, Map<String, String> details) {
        return new AuditEvent(NOON, kind, 0, ALICES_KEY, "sandbox.kill", subject, new LinkedHashMap<>(details));
    }
}
