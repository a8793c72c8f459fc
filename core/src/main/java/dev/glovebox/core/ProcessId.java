package dev.glovebox.core;

/// Names a process within its sandbox; from 1, never used twice.
public record ProcessId(long value) {
    public ProcessId {
        if (value < 1) {
            throw new GloveboxException(ErrorCode.PROCESS_NOT_FOUND, "a process' id is a number from 1");
        }
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
