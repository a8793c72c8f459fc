package dev.glovebox.cell.wasi;

/// The guest called `proc_exit`. It travels up through the engine, ends the guest on its way, and is no error of
/// ours; so it has no stack trace.
public final class ProcExit extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;

    ProcExit(int code) {
        super("the guest exited with status " + (code & 0xff), null, false, false);
        this.code = code;
    }

    /// The exit status as a shell would show it: the low eight bits of what the guest said, 0 to 255.
    public int status() {
        return code & 0xff;
    }
}
