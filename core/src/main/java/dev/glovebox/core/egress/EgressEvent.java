package dev.glovebox.core.egress;

import dev.glovebox.core.SandboxId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/// One line of the record of a sandbox's network. It holds no secret and nothing that a guest wrote except
/// names in their normal spelling.
///
/// @param rule what decided, or what ended it
/// @param words why, where it was refused
/// @param name asked for or shown
/// @param address where it went; empty for a name
/// @param times how often this happened since the last record of the same; 1 unless a guest repeats itself
/// @param sent bytes from the sandbox, of a connection that ended
public record EgressEvent(
        Instant at,
        SandboxId sandbox,
        Kind kind,
        String rule,
        String words,
        Optional<HostName> name,
        Optional<IpAddress> address,
        int port,
        long times,
        long sent,
        long received) {
    public enum Kind {
        CONNECTION_ALLOWED("egress.allow"),
        CONNECTION_DENIED("egress.deny"),
        /// An allowed connection is over, or was cut.
        CONNECTION_ENDED("egress.end"),
        /// An allowed connection could not be made.
        CONNECTION_FAILED("egress.fail"),
        REQUEST_DENIED("egress.request.deny"),
        NAME_ALLOWED("egress.dns.allow"),
        NAME_DENIED("egress.dns.deny"),
        /// Other rules hold from here on.
        POLICY_REPLACED("egress.policy");

        private final String verb;

        Kind(String verb) {
            this.verb = verb;
        }

        /// What the audit log calls it.
        public String verb() {
            return verb;
        }
    }

    /// For the audit log: short texts, in order, without what is not known.
    public SequencedMap<String, String> details() {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        details.put("rule", rule);
        if (!words.isEmpty()) {
            details.put("why", words);
        }
        name.ifPresent(it -> details.put("name", it.value()));
        address.ifPresent(it -> details.put("address", it.toString()));
        if (port > 0) {
            details.put("port", Integer.toString(port));
        }
        if (times > 1) {
            details.put("times", Long.toString(times));
        }
        if (kind == Kind.CONNECTION_ENDED) {
            details.put("sent", Long.toString(sent));
            details.put("received", Long.toString(received));
        }
        return details;
    }
}
