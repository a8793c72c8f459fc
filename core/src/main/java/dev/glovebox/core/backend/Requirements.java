package dev.glovebox.core.backend;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
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
        boolean alone) {

    /// For tiers that keep files in their own memory.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if more is asked for than any of them has
    public void refuseLargeDisk() {
        long disk = limits.diskBytes();
        if (disk > Limits.CELL_DISK_BYTES_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "disk of " + disk + " bytes: tier " + tier.word() + " keeps files in memory, at most "
                            + Limits.CELL_DISK_BYTES_MAX + ": ask for less, or for tier jail or gvisor");
        }
    }
}
