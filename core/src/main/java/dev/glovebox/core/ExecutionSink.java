package dev.glovebox.core;

/// Receives what a process or execution says, as it says it. Called by one thread at a time; a slow sink holds the
/// guest back, not the server. What it receives is guest content.
public interface ExecutionSink {
    /// The first call: by this id the process can be written to and signalled from elsewhere.
    default void started(ProcessId process) {}

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
