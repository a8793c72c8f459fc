package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.server.e2b.interpreter.CodeContext.Gateway;
import java.util.Map;
import java.util.Optional;

/// What executes the code of one context, and keeps its state. [#execute] is called by one thread at a time, the others
/// by any.
interface Kernel {
    /// How an execution went.
    ///
    /// @param error what the client is told went wrong
    record Answer(Optional<ExecutionError> error) {
        static final Answer FINE = new Answer(Optional.empty());

        static Answer failed(String name, String words) {
            return new Answer(Optional.of(new ExecutionError(name, words, name + ": " + words)));
        }
    }

    /// Makes it ready, if it is not.
    void open(Gateway gateway);

    Answer execute(Gateway gateway, String code, Map<String, String> environment, ExecutionSink sink);

    /// Ends the execution that is under way; its state may be lost.
    void interrupt(Gateway gateway);

    /// Forgets all state; what is under way ends.
    void restart(Gateway gateway);

    void close(Gateway gateway);
}
