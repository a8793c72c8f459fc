package dev.glovebox.sdk;

import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;

/// One-shot runs, wherever they are done: by a server ([Glovebox]) or inside this process. Calls block; an
/// interrupt of the calling thread ends the run.
public interface RunService extends AutoCloseable {
    /// Runs and returns everything at once.
    ///
    /// @throws ApiException if it is refused or fails; what the guest itself does wrong is an outcome in the
    ///     response
    RunResponse run(RunRequest request);

    /// Runs, hands the output to the listener as it comes, and returns the rest.
    RunResponse run(RunRequest request, OutputListener listener);

    @Override
    void close();
}
