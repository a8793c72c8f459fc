package dev.glovebox.backends;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;

/// Which Linux sandbox is to be started.
///
/// @param template what it starts from, by name
/// @param prepared whether it shall have an interpreter started before anybody asks for one
record LinuxStart(Tier tier, String template, ResourceLimits limits, boolean prepared) {

    /// One to be kept ready.
    static LinuxStart ready(Tier tier, String template) {
        return new LinuxStart(tier, template, LinuxBackend.readyLimits(), false);
    }

    LinuxStart withPrepared(boolean next) {
        return new LinuxStart(tier, template, limits, next);
    }
}
