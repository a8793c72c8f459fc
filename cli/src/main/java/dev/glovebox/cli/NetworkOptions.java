package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.PolicyTool;
import dev.glovebox.wire.api.NetworkRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What a sandbox may reach. A mixin; without any of it, nothing.
final class NetworkOptions {
    @Option(
            names = "--allow",
            paramLabel = "ENTRY",
            description = "Let it reach this, such as api.example.com, *.example.com, 1.2.3.4:5432; may be repeated.")
    private List<String> allow = new ArrayList<>();

    @Option(
            names = "--network",
            paramLabel = "FILE",
            description = "A network policy as JSON; 'glovebox policy schema' describes it.")
    private @Nullable Path file;

    boolean isGiven() {
        return file != null || !allow.isEmpty();
    }

    /// The rules; null if none are given. Remarks on standard error what of them opens nothing.
    @Nullable
    NetworkRules toWire() throws IOException {
        NetworkRules rules = rules();
        if (rules != null) {
            remarkClosedEntries(rules);
        }
        return rules;
    }

    private @Nullable NetworkRules rules() throws IOException {
        allow.forEach(PolicyTool::checkEntry);
        if (file == null) {
            return allow.isEmpty() ? null : NetworkRules.allowing(allow);
        }
        NetworkRules rules = read(file);
        return allow.isEmpty() ? rules : rules.allowingToo(allow);
    }

    /// One line for each entry that opens nothing, whatever else the rules say.
    static void remarkClosedEntries(NetworkRules rules) {
        PolicyTool.closedEntries(rules).forEach(sentence -> Messages.note("glovebox: " + Messages.safe(sentence)));
    }

    /// The policy in a file.
    ///
    /// @throws IllegalArgumentException in words that name the file and the field
    static NetworkRules read(Path file) throws IOException {
        try {
            NetworkRules rules =
                    RecordJson.read(NetworkRules.class, LocalFile.read(file), RecordJson.UnknownFields.REFUSED);
            PolicyTool.closedEntries(rules);
            return rules;
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("the policy " + file + ": " + e.getMessage(), e);
        } catch (ApiException e) {
            throw new IllegalArgumentException("the policy " + file + ": " + e.detail(), e);
        }
    }
}
