package dev.glovebox.server.api;

import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.wire.api.RichResult;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/// Keeps what a guest says until it has ended. Its size is bounded by the run's own output limit.
public final class CollectedOutput implements ExecutionSink {
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<RichResult> results = new ArrayList<>();

    @Override
    public synchronized void stdout(byte[] bytes) {
        stdout.writeBytes(bytes);
    }

    @Override
    public synchronized void stderr(byte[] bytes) {
        stderr.writeBytes(bytes);
    }

    @Override
    public synchronized void result(MimeBundle bundle) {
        results.add(ToWire.result(bundle));
    }

    synchronized byte[] stdout() {
        return stdout.toByteArray();
    }

    synchronized byte[] stderr() {
        return stderr.toByteArray();
    }

    synchronized List<RichResult> results() {
        return List.copyOf(results);
    }
}
