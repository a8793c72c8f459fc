package dev.glovebox.cell;

import dev.glovebox.core.GuestPath;
import java.util.List;
import java.util.Map;

/// A program to run to its end.
///
/// @param code UTF-8 source, or a WebAssembly module; with the file name [#MODULE], the name of a Python module
/// @param fileName what tracebacks call it, or [#MODULE]
/// @param arguments `argv`, the program's own name first
public record Program(
        byte[] code, String fileName, List<String> arguments, Map<String, String> environment, GuestPath directory) {
    /// As file name: run a module of the library by its name, as `python -m` does.
    public static final String MODULE = "-m";

    public Program {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
    }
}
