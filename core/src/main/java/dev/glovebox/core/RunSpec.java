package dev.glovebox.core;

import dev.glovebox.core.egress.NetworkPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A one-shot run: a sandbox is made, one program runs in it, files are fetched, the sandbox is wiped.
///
/// @param tier the tier asked for; empty is `auto`
/// @param arguments what the program sees as its arguments, without its own name
/// @param files to write before it starts
/// @param fetch paths to read after it ended; those that do not exist are left out of the answer
/// @param capture whether the value of the last expression is a result (code interpreter) instead of running the code
///     as a program
/// @param network what it may reach
/// @param template what its sandbox starts from, by name; empty: the tier's own. Only Linux tiers have more than one
public record RunSpec(
        Optional<Tier> tier,
        Execution.Code code,
        List<String> arguments,
        Map<String, String> environment,
        byte[] input,
        Map<GuestPath, byte[]> files,
        List<GuestPath> fetch,
        boolean capture,
        ResourceLimits limits,
        NetworkPolicy network,
        Optional<String> template) {
    public RunSpec {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        files = Map.copyOf(files);
        fetch = List.copyOf(fetch);
        template.ifPresent(Requests::checkTemplate);
        Requests.checkArguments(arguments);
        Requests.checkEnvironment(environment);
        if (files.size() > Limits.RUN_FILES_MAX || fetch.size() > Limits.RUN_FILES_MAX) {
            throw new GloveboxException(
                    ErrorCode.TOO_LARGE,
                    "a run takes " + files.size() + " files and asks for " + fetch.size() + "; the bound of each is "
                            + Limits.RUN_FILES_MAX);
        }
    }

    /// From the tier's own template.
    public RunSpec(
            Optional<Tier> tier,
            Execution.Code code,
            List<String> arguments,
            Map<String, String> environment,
            byte[] input,
            Map<GuestPath, byte[]> files,
            List<GuestPath> fetch,
            boolean capture,
            ResourceLimits limits,
            NetworkPolicy network) {
        this(tier, code, arguments, environment, input, files, fetch, capture, limits, network, Optional.empty());
    }

    /// What came of it.
    ///
    /// @param tierReason why this tier, in words
    /// @param auditId the number of the intent in the audit log
    public record Report(
            Tier tier, String tierReason, Execution.Result result, Map<GuestPath, byte[]> files, long auditId) {
        public Report {
            files = Map.copyOf(files);
        }
    }
}
