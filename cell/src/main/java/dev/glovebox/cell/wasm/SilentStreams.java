package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.MimeBundle;

/// Streams for what runs on nobody's behalf: no input, and output is dropped.
enum SilentStreams implements GuestStreams {
    INSTANCE;

    @Override
    public int read(byte[] target, int offset, int length) {
        return -1;
    }

    @Override
    public void stdout(byte[] bytes, int offset, int length) {}

    @Override
    public void stderr(byte[] bytes, int offset, int length) {}

    @Override
    public void result(MimeBundle bundle) {}

    @Override
    public void error(ExecutionError error) {}
}
