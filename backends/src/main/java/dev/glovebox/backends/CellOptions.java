package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.DialedNetworks;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How this server starts its cells.
///
/// @param javaHome the JDK that runs them
/// @param distribution the directory of the built product: `cell/*.jar`, `native/`, `guest/`, `aot/`
/// @param runDirectory where the agents' socket goes; only this user may enter it
/// @param warm interpreters that each cell keeps ready, as its command line takes them: `python=4,javascript=1`
/// @param spareCells cells that are kept started for the next tenant
/// @param jail starts cells in jails of their own; null if they are plain children of this process
/// @param oneRun whether there will be one run and no more: its cell is started before it is asked for
/// @param networks through which sandboxes reach what they may; empty: nothing is reached
public record CellOptions(
        Path javaHome,
        Path distribution,
        Path runDirectory,
        String warm,
        int spareCells,
        @Nullable Supervision jail,
        boolean oneRun,
        Optional<DialedNetworks> networks) {

    /// Without a network.
    public CellOptions(
            Path javaHome,
            Path distribution,
            Path runDirectory,
            String warm,
            int spareCells,
            @Nullable Supervision jail,
            boolean oneRun) {
        this(javaHome, distribution, runDirectory, warm, spareCells, jail, oneRun, Optional.empty());
    }

    /// The same, and sandboxes reach through these what they may.
    public CellOptions withNetworks(DialedNetworks opened) {
        return new CellOptions(
                javaHome, distribution, runDirectory, warm, spareCells, jail, oneRun, Optional.of(opened));
    }

    /// For a server: the pools are filled, the next tenant's cell is there before the tenant.
    public static CellOptions forServer(Path javaHome, Path distribution, Path runDirectory, Supervision supervision) {
        return new CellOptions(
                javaHome,
                distribution,
                runDirectory,
                "python=8,javascript=2,isolate=4",
                Limits.SPARE_CELLS,
                jailOf(supervision),
                false);
    }

    /// For one run in a short-lived process: nothing is started that this run does not need.
    public static CellOptions forOneRun(Path javaHome, Path distribution, Path runDirectory, Supervision supervision) {
        return new CellOptions(
                javaHome, distribution, runDirectory, "python=0,javascript=0,isolate=0", 0, jailOf(supervision), true);
    }

    private static @Nullable Supervision jailOf(Supervision supervision) {
        return supervision.missing().isEmpty() ? supervision : null;
    }
}
