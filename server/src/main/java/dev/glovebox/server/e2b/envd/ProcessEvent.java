package dev.glovebox.server.e2b.envd;

import dev.glovebox.wire.e2b.ProcessEnd;

/// What happens to a process, as its readers are told.
sealed interface ProcessEvent {
    /// It runs, under this number inside the sandbox.
    record Started(long pid) implements ProcessEvent {}

    /// It wrote something. The bytes are shared by all readers: nobody changes them.
    record Output(boolean isError, byte[] bytes) implements ProcessEvent {}

    /// It ended. The last event.
    ///
    /// @param isTimeUp whether its time was up
    record Ended(ProcessEnd end, boolean isTimeUp) implements ProcessEvent {}

    /// It could not be started, or nobody knows how it ended. The last event.
    record Failed(RuntimeException why) implements ProcessEvent {}
}
