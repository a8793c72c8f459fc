package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.time.Duration;

/// How long cells are waited for and kept.
///
/// @param start from the start of a cell to its greeting, and from SPAWN to the sandbox's
/// @param idle that a tenant's cell is kept without a sandbox
/// @param refill from the death of a cell to the start of a spare in its place: cells that die at once must not keep a
///     processor busy with starting
record CellTimes(Duration start, Duration idle, Duration refill) {
    static final CellTimes DEFAULT = new CellTimes(Limits.CELL_START_MAX, Limits.CELL_IDLE_MAX, Duration.ofSeconds(10));
}
