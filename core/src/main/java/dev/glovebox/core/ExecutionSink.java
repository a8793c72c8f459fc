package dev.glovebox.core;

/// Receives what a process or execution says, as it says it. Called by one thread at a time; a slow sink holds the
/// guest back, not the server. What it receives is guest content.
public interface ExecutionSink {
    /// The first call: by this id the process can be written to and signalled from elsewhere.
    default void started(ProcessId process) {}

    /// The program has begun, and has not said anything yet. What cannot be started never gets here.
    ///
    /// @param guestPid its process id inside the sandbox; 0 where a tier has none, and for an execution
    default void running(long guestPid) {}

    void stdout(byte[] bytes);

    void stderr(byte[] bytes);

    void result(MimeBundle bundle);

    /// Passes everything over.
    ExecutionSink DISCARD = new ExecutionSink() {
        @Override
        public void stdout(byte[] bytes) {}

        @Override
        public void stderr(byte[] bytes) {}

        @Override
        public void result(MimeBundle bundle) {}
    };
}
