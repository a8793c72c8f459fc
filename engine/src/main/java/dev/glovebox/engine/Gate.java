package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.Principal;

/// The one way to have anything done: authorise, decide, record the intent, act, record the outcome. Every interface
/// (HTTP, command line, later MCP and E2B) turns what it was asked into a [Command] and hands it in here; nothing else
/// reaches a backend. Thread-safe; calls block, on virtual threads.
public interface Gate {

    /// Has the command done.
    ///
    /// @param sink gets what a process or execution says while it runs; commands without output leave it alone
    /// @throws dev.glovebox.core.GloveboxException if it is refused or fails, with a code and a sentence
    <R> R execute(Principal principal, Command<R> command, ExecutionSink sink);

    /// As [#execute(Principal, Command, ExecutionSink)], for commands without output.
    default <R> R execute(Principal principal, Command<R> command) {
        return execute(principal, command, ExecutionSink.DISCARD);
    }
}
