package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.EgressRecorder;
import dev.glovebox.core.egress.HostName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is counted of networks.
class MetricsTest {
    private final Metrics metrics = new Metrics();
    private final List<EgressEvent> passedOn = new ArrayList<>();
    private final EgressRecorder recorder = metrics.before(passedOn::add);

    private void record(EgressEvent.Kind kind, long times, long sent, long received) {
        recorder.record(new EgressEvent(
                Instant.EPOCH,
                new SandboxId("iaaaaaaaaaaaaaaaaaaaa"),
                kind,
                "rule",
                "",
                Optional.of(new HostName("secret-project.example")),
                Optional.empty(),
                443,
                times,
                sent,
                received));
    }

    @Test
    void countsDecisionsAndBytesAndPassesAllOn() {
        record(EgressEvent.Kind.CONNECTION_ALLOWED, 1, 0, 0);
        record(EgressEvent.Kind.CONNECTION_DENIED, 1, 0, 0);
        record(EgressEvent.Kind.CONNECTION_DENIED, 7, 0, 0);
        record(EgressEvent.Kind.CONNECTION_FAILED, 2, 0, 0);
        record(EgressEvent.Kind.REQUEST_DENIED, 3, 0, 0);
        record(EgressEvent.Kind.NAME_ALLOWED, 4, 0, 0);
        record(EgressEvent.Kind.NAME_DENIED, 5, 0, 0);
        record(EgressEvent.Kind.CONNECTION_ENDED, 1, 1000, 2000);
        record(EgressEvent.Kind.CONNECTION_ENDED, 1, 1, 2);
        record(EgressEvent.Kind.POLICY_REPLACED, 1, 0, 0);
        metrics.egressRecordsDropped(9);
        assertThat(metrics.text())
                .contains(
                        "glovebox_egress_connections_total{decision=\"allowed\"} 1.0",
                        "glovebox_egress_connections_total{decision=\"denied\"} 8.0",
                        "glovebox_egress_connections_total{decision=\"failed\"} 2.0",
                        "glovebox_egress_requests_denied_total 3.0",
                        "glovebox_egress_names_total{decision=\"allowed\"} 4.0",
                        "glovebox_egress_names_total{decision=\"denied\"} 5.0",
                        "glovebox_egress_bytes_total{direction=\"sent\"} 1001.0",
                        "glovebox_egress_bytes_total{direction=\"received\"} 2002.0",
                        "glovebox_egress_records_dropped_total 9.0")
                .as("no guest can add a label")
                .doesNotContain("secret-project");
        assertThat(passedOn).hasSize(10);
    }
}
