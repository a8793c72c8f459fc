package dev.glovebox.backends;

import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes the product's own words as fields of requests.
final class Requests {
    private static final int ENTROPY_BYTES = 64;

    private Requests() {}

    /// What every request about a file begins with.
    static Fields.Builder file(GuestPath path, FileAccess access) {
        Fields.Builder fields = Fields.builder().text(Tag.PATH, path.value());
        access.user().ifPresent(user -> fields.text(Tag.USER, user.name()));
        return fields;
    }

    static void putTerminal(Fields.Builder fields, TerminalSize size) {
        fields.number(Tag.COLUMNS, size.columns()).number(Tag.ROWS, size.rows());
    }

    static Fields terminal(TerminalSize size) {
        Fields.Builder fields = Fields.builder();
        putTerminal(fields, size);
        return fields.build();
    }

    static List<String> environment(Map<String, String> environment) {
        return environment.entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .sorted()
                .toList();
    }

    static void putLimits(Fields.Builder fields, ResourceLimits limits) {
        fields.number(Tag.WALL_MILLIS, limits.wallTime().toMillis())
                .number(Tag.CPU_MILLIS, limits.cpuTime().toMillis())
                .number(Tag.MEMORY_BYTES, limits.memoryBytes())
                .number(Tag.OUTPUT_BYTES, limits.outputBytes());
    }

    static void putQuota(Fields.Builder fields, ResourceLimits limits) {
        fields.number(Tag.DISK_BYTES, limits.diskBytes()).number(Tag.FILE_COUNT, limits.fileCount());
    }

    /// The CONFIGURE request of a new Linux sandbox, with entropy of its own.
    ///
    /// @param template the variables of its template, which those of the sandbox overrule
    static Fields configureLinux(Requirements requirements, Map<String, String> template, SecureRandom random) {
        Map<String, String> variables = new LinkedHashMap<>(template);
        variables.putAll(requirements.environment());
        boolean isInspected = !requirements.network().policy().requests().isEmpty();
        return configure(requirements, isInspected ? GuestTrust.environment(variables) : variables, random);
    }

    /// The CONFIGURE request of a new sandbox with exactly these variables, and with entropy of its own.
    static Fields configure(Requirements requirements, Map<String, String> variables, SecureRandom random) {
        byte[] entropy = new byte[ENTROPY_BYTES];
        random.nextBytes(entropy);
        Fields.Builder fields = Fields.builder()
                .text(Tag.SANDBOX, requirements.sandbox().value())
                .texts(Tag.ENVIRONMENT, environment(variables))
                .bytes(Tag.ENTROPY, entropy);
        putLimits(fields, requirements.limits());
        putQuota(fields, requirements.limits());
        return fields.build();
    }
}
