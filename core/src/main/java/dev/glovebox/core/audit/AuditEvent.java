package dev.glovebox.core.audit;

import dev.glovebox.core.Principal;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SequencedMap;

/// One line of evidence: who, what, about what, and whether it was allowed or how it went. `details` are ordered
/// key-value pairs of a few short texts; never a secret, never a guest's bytes as they came.
///
/// @param intent the number of the intent that an outcome belongs to; 0 in an intent itself
/// @param subject what it is about, for example a sandbox's id; empty if nothing
public record AuditEvent(
        Instant at,
        Kind kind,
        long intent,
        Principal principal,
        String verb,
        String subject,
        SequencedMap<String, String> details) {
    public AuditEvent {
        details = Collections.unmodifiableSequencedMap(new java.util.LinkedHashMap<>(details));
    }

    public enum Kind {
        /// Before an effect: on the disk before it happens.
        INTENT,
        /// What came of an intent.
        OUTCOME,
        /// The gate said no; there is no effect.
        REFUSAL,
        /// Something happened that nobody asked for: a lease ended, a cell died.
        NOTICE
    }

    /// The details as a map, for writers.
    public Map<String, String> detailsMap() {
        return details;
    }
}
