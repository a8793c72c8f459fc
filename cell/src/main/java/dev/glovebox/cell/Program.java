package dev.glovebox.cell;

import dev.glovebox.core.GuestPath;
import java.util.List;
import java.util.Map;

/// A program to run to its end.
///
/// @param code UTF-8 source, or a WebAssembly module
/// @param fileName what tracebacks call it
/// @param arguments `argv`, the program's own name first
public record Program(
        byte[] code, String fileName, List<String> arguments, Map<String, String> environment, GuestPath directory) {
    public Program {
        arguments = java.util.List.copyOf(arguments);
        environment = java.util.Map.copyOf(environment);
    }
}
