package dev.glovebox.wire.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A process to run in a sandbox: a program by its arguments, or code, or a module.
///
/// @param args with code or a module what it sees as its arguments; else the program and its arguments
/// @param language of `code`
/// @param module a WASI preview 1 module, base64
/// @param directory where it starts; left out: the home directory
/// @param stdin all of its standard input
/// @param openStdin whether input follows by `POST …/commands/{pid}/stdin`; not together with `stdin`
/// @param user as whom it runs; left out: the sandbox's default user
/// @param terminal given: its standard streams are a terminal of this size
public record CommandRequest(
        @Nullable List<String> args,
        @Nullable String language,
        @Nullable String code,
        @Nullable String module,
        @Nullable String fileName,
        @Nullable Map<String, String> env,
        @Nullable String directory,
        @Nullable Content stdin,
        @Nullable Boolean openStdin,
        @Nullable LimitSet limits,
        @Nullable String user,
        @Nullable TerminalSet terminal) {

    /// As the default user, without a terminal.
    public CommandRequest(
            @Nullable List<String> args,
            @Nullable String language,
            @Nullable String code,
            @Nullable String module,
            @Nullable String fileName,
            @Nullable Map<String, String> env,
            @Nullable String directory,
            @Nullable Content stdin,
            @Nullable Boolean openStdin,
            @Nullable LimitSet limits) {
        this(args, language, code, module, fileName, env, directory, stdin, openStdin, limits, null, null);
    }

    /// A program with its arguments, everything else as the server's defaults have it.
    public static CommandRequest ofArguments(List<String> arguments) {
        return new CommandRequest(arguments, null, null, null, null, null, null, null, null, null);
    }
}
