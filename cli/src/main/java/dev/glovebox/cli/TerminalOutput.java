package dev.glovebox.cli;

import dev.glovebox.sdk.OutputListener;
import dev.glovebox.wire.api.RichResult;

/// What a guest's terminal shows, on ours.
final class TerminalOutput implements OutputListener {
    private final GuestStream screen = GuestStream.stdout();
    private final TerminalFilter filter = new TerminalFilter();

    @Override
    public void stdout(byte[] bytes) {
        screen.writeRaw(filter.push(bytes));
    }

    @Override
    public void stderr(byte[] bytes) {
        stdout(bytes);
    }

    @Override
    public void result(RichResult result) {}
}
