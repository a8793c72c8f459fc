package dev.glovebox.server.e2b.traffic;

import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/// What serves the requests to a port of every sandbox. Thread-safe.
@FunctionalInterface
public interface SandboxPort {
    /// E2B's port for files and processes.
    int ENVD = 49_983;
    /// E2B's port for code contexts.
    int INTERPRETER = 49_999;

    /// Serves one request, blocking until its answer is out. What it throws is answered like any failure of the gate.
    void serve(SandboxTarget target, ServerRequest request, ServerResponse response);
}
