package dev.glovebox.core.egress;

/// Where the record goes. Called by the threads that move bytes: it returns at once, does not throw, and is
/// thread-safe.
@FunctionalInterface
public interface EgressRecorder {
    void record(EgressEvent event);
}
