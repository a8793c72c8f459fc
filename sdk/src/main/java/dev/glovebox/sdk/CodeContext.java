package dev.glovebox.sdk;

import dev.glovebox.wire.api.ContextResponse;
import dev.glovebox.wire.api.ExecuteRequest;
import dev.glovebox.wire.api.ExecutionResponse;

/// A code interpreter context: its variables outlive one call. Thread-safe; executions take turns.
public final class CodeContext implements AutoCloseable {
    private final Transport transport;
    private final String path;
    private final ContextResponse details;

    CodeContext(Transport transport, String path, ContextResponse details) {
        this.transport = transport;
        this.path = path;
        this.details = details;
    }

    public String id() {
        return details.id();
    }

    /// Executes code and returns everything at once.
    public ExecutionResponse execute(String code) {
        return transport.json("POST", path + "/execute", new ExecuteRequest(code, null, null), ExecutionResponse.class);
    }

    /// Executes code, hands its output to the listener as it comes, and returns the rest.
    public ExecutionResponse execute(ExecuteRequest request, OutputListener listener) {
        return transport.call(
                "POST",
                path + "/execute",
                EventStream.MEDIA_TYPE,
                new HttpBody.Bytes(RecordJson.write(request)),
                body -> EventStream.follow(body, listener, ExecutionResponse.class));
    }

    /// Interrupts what it executes now; its variables stay.
    public void interrupt() {
        transport.send("POST", path + "/interrupt", null);
    }

    /// Closes it and forgets its variables.
    @Override
    public void close() {
        transport.send("DELETE", path, null);
    }
}
