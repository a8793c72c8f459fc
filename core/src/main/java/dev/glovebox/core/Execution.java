package dev.glovebox.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a process or an execution is asked to do, or did.
public final class Execution {
    private Execution() {}

    /// A program by its arguments, as a shell would start it; `arguments` holds the program's name first.
    /// With `code`, the program is that text in that language (or that WebAssembly module) instead, and
    /// `arguments` are what it sees as its own.
    ///
    /// @param code program text or module; empty if `arguments` name the program
    /// @param takesInput whether input follows by [Command.WriteInput]; else the program reads an end
    /// @param user as whom it runs; empty: as the sandbox's default user
    /// @param terminal the size of the terminal that its standard streams shall be; empty: none. What a terminal
    ///     shows is standard output
    public record ProcessSpec(
            List<String> arguments,
            Optional<Code> code,
            Map<String, String> environment,
            GuestPath directory,
            boolean takesInput,
            ResourceLimits limits,
            Optional<GuestUser> user,
            Optional<TerminalSize> terminal) {
        public ProcessSpec {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
            Requests.checkArguments(arguments);
            Requests.checkEnvironment(environment);
            if (arguments.isEmpty() && code.isEmpty()) {
                throw new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT, "there is nothing to run: give arguments or code");
            }
        }

        /// As the default user, without a terminal.
        public ProcessSpec(
                List<String> arguments,
                Optional<Code> code,
                Map<String, String> environment,
                GuestPath directory,
                boolean takesInput,
                ResourceLimits limits) {
            this(arguments, code, environment, directory, takesInput, limits, Optional.empty(), Optional.empty());
        }
    }

    /// Program text (UTF-8) or a WebAssembly module.
    ///
    /// @param fileName what tracebacks call it
    public record Code(Language language, byte[] content, String fileName) {
        public Code {
            int bound = language == Language.WASM ? Limits.MODULE_BYTES_MAX : Limits.CODE_BYTES_MAX;
            if (content.length > bound) {
                throw new GloveboxException(
                        ErrorCode.TOO_LARGE,
                        "the code has " + content.length + " bytes; the bound is " + bound + ": put data into files");
            }
        }
    }

    /// How it went.
    ///
    /// @param error the exception that the code raised and did not handle
    /// @param pooled whether an interpreter that was ready served it
    public record Result(Outcome outcome, Usage usage, Optional<ExecutionError> error, boolean pooled) {}
}
