package dev.glovebox.cell.wasi;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a program is started with. The bounds of [Limits] are checked at admission already; they are checked here
/// again, because here they bite.
///
/// @param arguments `argv`, the program's own name first
public record WasiProgram(List<String> arguments, Map<String, String> environment) {
    public static final WasiProgram EMPTY = new WasiProgram(List.of(), Map.of());

    public WasiProgram {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        check("arguments", arguments);
        check("environment variables", variables(environment));
        for (String name : environment.keySet()) {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw invalid("the name of an environment variable is not empty and has no '='");
            }
        }
    }

    /// The environment as C knows it, in the order of the names, so that two runs see the same.
    List<String> variables() {
        return variables(environment);
    }

    private static List<String> variables(Map<String, String> environment) {
        return new TreeMap<>(environment)
                .entrySet().stream()
                        .map(variable -> variable.getKey() + "=" + variable.getValue())
                        .toList();
    }

    private static void check(String what, List<String> strings) {
        if (strings.size() > Limits.ARGUMENTS_MAX) {
            throw invalid(strings.size() + " " + what + " are more than the bound of " + Limits.ARGUMENTS_MAX);
        }
        long bytes = 0;
        for (String string : strings) {
            if (string.indexOf('\0') >= 0) {
                throw invalid(what + " cannot hold a NUL character");
            }
            bytes += string.getBytes(StandardCharsets.UTF_8).length + 1;
        }
        if (bytes > Limits.ARGUMENTS_BYTES_MAX) {
            throw invalid(what + " of " + bytes + " bytes are more than the bound of " + Limits.ARGUMENTS_BYTES_MAX);
        }
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
