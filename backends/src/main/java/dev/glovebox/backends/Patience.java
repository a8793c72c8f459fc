package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.time.Duration;

/// How long a sandbox's host waits for its agent before it takes the agent for broken.
///
/// @param request for a request that runs no guest code: until the next frame, or the next grant of credit
/// @param admission for a guest's start
/// @param grace past a guest's own limit
record Patience(Duration request, Duration admission, Duration grace) {
    static final Patience DEFAULT =
            new Patience(Duration.ofSeconds(30), Limits.ADMISSION_WAIT_MAX.plus(Limits.CELL_GRACE), Limits.CELL_GRACE);

    /// Opening a context may wait for a place on a processor, and then start an interpreter.
    Duration context() {
        return admission.plus(request);
    }
}
