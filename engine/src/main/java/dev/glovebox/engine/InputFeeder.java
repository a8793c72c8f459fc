package dev.glovebox.engine;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.backend.SandboxHandle;

/// Hands a one-shot run its standard input as soon as the process is there, on a thread of its own: a program that
/// writes before it reads must not wait for a writer that waits for it.
final class InputFeeder implements ExecutionSink {
    private final SandboxHandle handle;
    private final byte[] input;
    private final ExecutionSink sink;

    InputFeeder(SandboxHandle handle, byte[] input, ExecutionSink sink) {
        this.handle = handle;
        this.input = input;
        this.sink = sink;
    }

    @Override
    public void started(ProcessId process) {
        Thread.ofVirtual().name("stdin").start(() -> feed(process));
        sink.started(process);
    }

    private void feed(ProcessId process) {
        try {
            handle.writeInput(process, input, true);
        } catch (GloveboxException gone) {
            // The program ended without reading all of its input: nothing is lost that anybody could still want.
            if (gone.code() != ErrorCode.PROCESS_NOT_FOUND && gone.code() != ErrorCode.BACKEND_LOST) {
                throw gone;
            }
        }
    }

    @Override
    public void stdout(byte[] bytes) {
        sink.stdout(bytes);
    }

    @Override
    public void stderr(byte[] bytes) {
        sink.stderr(bytes);
    }

    @Override
    public void result(MimeBundle bundle) {
        sink.result(bundle);
    }
}
