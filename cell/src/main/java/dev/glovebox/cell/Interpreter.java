package dev.glovebox.cell;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.util.Map;

/// One live interpreter that belongs to one sandbox. Calls that run guest code block and are made by one thread
/// at a time; [#interrupt()] and [#terminate(Outcome)] may come from any thread while such a call runs.
public interface Interpreter extends AutoCloseable {

    /// Runs a whole program to its end. An interpreter runs one program, or any number of executions, never
    /// both.
    Outcome run(Program program, GuestStreams streams);

    /// Opens a context: a namespace that keeps its state between executions.
    void openContext(String context, GuestPath directory);

    /// Executes code in an open context. Results and errors go to `streams`; the outcome is `Exited(0)` if the
    /// code ran, `Exited(1)` if it raised.
    Outcome execute(String context, String code, Map<String, String> environment, GuestStreams streams);

    void closeContext(String context);

    /// Asks the running code to stop (KeyboardInterrupt); its contexts stay usable if it heeds.
    void interrupt();

    /// Repeats an interrupt that the running code may have missed. Any thread; called now and then until it
    /// ends.
    default void remind() {}

    /// Stops the running code for good. The call that runs it returns `why`, and the interpreter is of no more
    /// use.
    void terminate(Outcome why);

    /// Processor time that guest code used in the current or last call, in nanoseconds. Any thread.
    long cpuNanos();

    /// Most memory that the guest held so far, in bytes. Any thread.
    long memoryPeakBytes();

    /// Whether a further execution can run here; false once it was terminated or broke.
    default boolean isUsable() {
        return true;
    }

    @Override
    void close();
}
