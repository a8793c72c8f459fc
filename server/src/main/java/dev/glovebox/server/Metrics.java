package dev.glovebox.server;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.EgressRecorder;
import dev.glovebox.engine.EngineObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;

/// What the server counts, for Prometheus. Labels come from enums and sealed types only, so that their number is
/// small and no guest or tenant can raise it.
public final class Metrics implements EngineObserver {
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5),
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final Counter connectionsAllowed = connections("allowed");
    private final Counter connectionsDenied = connections("denied");
    private final Counter connectionsFailed = connections("failed");
    private final Counter requestsDenied =
            counter("glovebox.egress.requests.denied", "requests on allowed connections that were not passed on");
    private final Counter namesAllowed = names("allowed");
    private final Counter namesDenied = names("denied");
    private final Counter bytesSent = bytes("sent");
    private final Counter bytesReceived = bytes("received");
    private final Counter recordsDropped =
            counter("glovebox.egress.records.dropped", "records of networks that the audit log was too slow for");

    public Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
    }

    /// Shows how many sandboxes live at each moment. To be called once.
    public void watchSandboxes(IntSupplier live) {
        Gauge.builder("glovebox.sandboxes.live", live, IntSupplier::getAsInt)
                .description("sandboxes that live now")
                .strongReference(true)
                .register(registry);
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private Counter connections(String decision) {
        return counter(
                "glovebox.egress.connections", "connections that sandboxes wanted to make", "decision", decision);
    }

    private Counter names(String decision) {
        return counter("glovebox.egress.names", "names that sandboxes asked for", "decision", decision);
    }

    private Counter bytes(String direction) {
        return counter(
                "glovebox.egress.bytes", "bytes of sandboxes' connections that are over", "direction", direction);
    }

    /// Counts what sandboxes' networks do, and tells `next`.
    public EgressRecorder before(EgressRecorder next) {
        return event -> {
            count(event);
            next.record(event);
        };
    }

    private void count(EgressEvent event) {
        switch (event.kind()) {
            case CONNECTION_ALLOWED -> connectionsAllowed.increment((double) event.times());
            case CONNECTION_DENIED -> connectionsDenied.increment((double) event.times());
            case CONNECTION_FAILED -> connectionsFailed.increment((double) event.times());
            case REQUEST_DENIED -> requestsDenied.increment((double) event.times());
            case NAME_ALLOWED -> namesAllowed.increment((double) event.times());
            case NAME_DENIED -> namesDenied.increment((double) event.times());
            case CONNECTION_ENDED -> {
                bytesSent.increment((double) event.sent());
                bytesReceived.increment((double) event.received());
            }
            case POLICY_REPLACED -> {}
        }
    }

    /// So many records of networks could not be written.
    public void egressRecordsDropped(long count) {
        recordsDropped.increment((double) count);
    }

    /// In Prometheus' text format.
    public String text() {
        return registry.scrape();
    }

    @Override
    public void ran(Tier tier, Language language, Outcome outcome, Duration duration, boolean pooled) {
        Timer.builder("glovebox.runs")
                .description("processes and code executions")
                .tag("tier", tier.word())
                .tag("language", language.word())
                .tag("outcome", outcome.word())
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(duration);
        registry.counter("glovebox.pool.claims", "tier", tier.word(), "hit", Boolean.toString(pooled))
                .increment();
    }

    @Override
    public void created(Tier tier, Duration duration) {
        Timer.builder("glovebox.sandboxes.created")
                .description("sandboxes that came up, and how long that took")
                .tag("tier", tier.word())
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(duration);
    }

    @Override
    public void ended(Tier tier, StopReason reason) {
        registry.counter("glovebox.sandboxes.ended", "tier", tier.word(), "reason", word(reason))
                .increment();
    }

    @Override
    public void refused(ErrorCode code) {
        registry.counter("glovebox.refusals", "code", code.word(), "kind", word(code.kind()))
                .increment();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
