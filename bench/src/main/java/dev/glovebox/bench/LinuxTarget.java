package dev.glovebox.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What issue 4 asks of a tier.
///
/// @param pooled milliseconds
/// @param fresh a ratio
/// @param command milliseconds
record LinuxTarget(
        String word,
        Target pooled,
        @Nullable Target pooledTail,
        @Nullable Target fresh,
        Target command) {
    static final LinuxTarget JAIL =
            new LinuxTarget("jail", Target.atMost(10), Target.atMost(40), null, Target.atMost(2));
    static final LinuxTarget GVISOR =
            new LinuxTarget("gvisor", Target.atMost(15), null, Target.ratioAtMost(1.2), Target.atMost(6));
    static final List<LinuxTarget> ALL = List.of(JAIL, GVISOR);
}
