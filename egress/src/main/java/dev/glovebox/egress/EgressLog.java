package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.EgressRecorder;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One sandbox's part of the record. A guest that tries the same thing over and over is written down once and
/// then counted, so that it cannot fill the log. Thread-safe.
final class EgressLog {
    private final SandboxId sandbox;
    private final EgressRecorder recorder;
    private final Clock clock;
    private final Map<Key, Long> repeats = new HashMap<>();

    EgressLog(SandboxId sandbox, EgressRecorder recorder, Clock clock) {
        this.sandbox = sandbox;
        this.recorder = recorder;
        this.clock = clock;
    }

    /// What is the same thing.
    private record Key(
            EgressEvent.Kind kind, String rule, Optional<HostName> name, Optional<IpAddress> address, int port) {}

    /// A connection that was refused or could not be made; counted if it repeats itself.
    void refused(EgressEvent.Kind kind, EgressAttempt attempt, String rule, String words) {
        Optional<HostName> name = nameOf(attempt);
        repeatable(new Key(kind, rule, name, Optional.of(attempt.address()), attempt.port()), words);
    }

    /// A look-up; counted if it repeats itself.
    void name(EgressEvent.Kind kind, String rule, String words, Optional<HostName> name) {
        repeatable(new Key(kind, rule, name, Optional.empty(), 0), words);
    }

    void allowed(EgressAttempt attempt, String rule) {
        write(EgressEvent.Kind.CONNECTION_ALLOWED, attempt, rule, "", 0, 0);
    }

    void ended(EgressAttempt attempt, String rule, String words, long sent, long received) {
        write(EgressEvent.Kind.CONNECTION_ENDED, attempt, rule, words, sent, received);
    }

    void replaced(String words) {
        recorder.record(new EgressEvent(
                clock.instant(),
                sandbox,
                EgressEvent.Kind.POLICY_REPLACED,
                "policy",
                words,
                Optional.empty(),
                Optional.empty(),
                0,
                1,
                0,
                0));
    }

    /// Writes down what was counted; called every [Limits#EGRESS_REPEAT_WINDOW], and at the end.
    void flush() {
        List<Map.Entry<Key, Long>> counted = new ArrayList<>();
        synchronized (repeats) {
            repeats.forEach((key, times) -> {
                if (times > 0) {
                    counted.add(Map.entry(key, times));
                }
            });
            repeats.clear();
        }
        for (Map.Entry<Key, Long> entry : counted) {
            write(entry.getKey(), "again", entry.getValue());
        }
    }

    private void repeatable(Key key, String words) {
        Key counted = key;
        synchronized (repeats) {
            if (!repeats.containsKey(key) && repeats.size() >= Limits.EGRESS_REPEATS_MAX) {
                // So many different ones that only their kind is told from here on.
                counted = new Key(key.kind, key.rule, Optional.empty(), Optional.empty(), 0);
            }
            Long before = repeats.get(counted);
            repeats.put(counted, before == null ? 0 : before + 1);
            if (before != null) {
                return;
            }
        }
        write(key, words, 1);
    }

    private void write(Key key, String words, long times) {
        recorder.record(new EgressEvent(
                clock.instant(), sandbox, key.kind, key.rule, words, key.name, key.address, key.port, times, 0, 0));
    }

    private void write(
            EgressEvent.Kind kind, EgressAttempt attempt, String rule, String words, long sent, long received) {
        recorder.record(new EgressEvent(
                clock.instant(),
                sandbox,
                kind,
                rule,
                words,
                nameOf(attempt),
                Optional.of(attempt.address()),
                attempt.port(),
                1,
                sent,
                received));
    }

    /// The name shown, or else one that the address was given for.
    private static Optional<HostName> nameOf(EgressAttempt attempt) {
        return attempt.handshake()
                .shownName()
                .or(() -> attempt.asked().stream().min(java.util.Comparator.comparing(HostName::value)));
    }
}
