package dev.glovebox.core.backend;

import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkGrant;
import java.util.Map;
import java.util.Optional;

/// What the engine asks a backend for, after it decided that it may be had.
///
/// @param template what it starts from; empty: the tier's own
/// @param network what it may reach
/// @param alone whether nobody else may share the process that hosts it
public record Requirements(
        SandboxId sandbox,
        TenantId tenant,
        Tier tier,
        Language language,
        Optional<String> template,
        ResourceLimits limits,
        Map<String, String> environment,
        NetworkGrant network,
        boolean alone) {}
