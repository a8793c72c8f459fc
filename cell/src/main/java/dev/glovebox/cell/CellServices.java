package dev.glovebox.cell;

import java.security.SecureRandom;
import java.time.InstantSource;

/// What all sandboxes of a cell share.
record CellServices(
        GuestScheduler scheduler,
        Watchdog watchdog,
        Closer closer,
        InterpreterPool pool,
        InstantSource clock,
        SecureRandom random,
        CellLog log) {

    GuestRun.Cellmates cellmates() {
        return new GuestRun.Cellmates(scheduler, watchdog, closer, log);
    }
}
