package dev.glovebox.wire.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One program, run once in a sandbox of its own that is wiped afterwards.
///
/// @param language `python`, `javascript`, `typescript`, `wasm`; may be left out with a module
/// @param tier the tier asked for; left out or `auto`: the server picks one and says why
/// @param code program text; exactly one of `code` and `module`
/// @param module a WASI preview 1 module, base64
/// @param fileName what tracebacks call the program
/// @param args what the program sees as its arguments, without its own name
/// @param files to write before it starts, by path; relative paths are below the home directory
/// @param fetch paths to read after it ended; those that do not exist are left out of the answer
/// @param capture whether the value of the last expression is a result
/// @param network what it may reach; left out: nothing
/// @param template what its sandbox starts from, by name; left out: the tier's own
public record RunRequest(
        @Nullable String language,
        @Nullable String tier,
        @Nullable String code,
        @Nullable String module,
        @Nullable String fileName,
        @Nullable List<String> args,
        @Nullable Map<String, String> env,
        @Nullable Content stdin,
        @Nullable Map<String, Content> files,
        @Nullable List<String> fetch,
        @Nullable Boolean capture,
        @Nullable LimitSet limits,
        @Nullable NetworkRules network,
        @Nullable String template) {

    /// From the tier's own template.
    public RunRequest(
            @Nullable String language,
            @Nullable String tier,
            @Nullable String code,
            @Nullable String module,
            @Nullable String fileName,
            @Nullable List<String> args,
            @Nullable Map<String, String> env,
            @Nullable Content stdin,
            @Nullable Map<String, Content> files,
            @Nullable List<String> fetch,
            @Nullable Boolean capture,
            @Nullable LimitSet limits,
            @Nullable NetworkRules network) {
        this(language, tier, code, module, fileName, args, env, stdin, files, fetch, capture, limits, network, null);
    }

    /// With a closed network.
    public RunRequest(
            @Nullable String language,
            @Nullable String tier,
            @Nullable String code,
            @Nullable String module,
            @Nullable String fileName,
            @Nullable List<String> args,
            @Nullable Map<String, String> env,
            @Nullable Content stdin,
            @Nullable Map<String, Content> files,
            @Nullable List<String> fetch,
            @Nullable Boolean capture,
            @Nullable LimitSet limits) {
        this(language, tier, code, module, fileName, args, env, stdin, files, fetch, capture, limits, null);
    }

    /// Runs a text, everything else as the server's defaults have it.
    public static RunRequest of(String language, String code) {
        return new RunRequest(language, null, code, null, null, null, null, null, null, null, null, null);
    }
}
