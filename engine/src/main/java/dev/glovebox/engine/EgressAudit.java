package dev.glovebox.engine;

import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.audit.AuditLog;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.EgressRecorder;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// Writes what sandboxes' networks did to the audit log, on a thread of its own: those that move bytes wait for no
/// disk. If the disk is slower than the networks, what does not fit is counted, and the count is on the record.
/// Thread-safe.
public final class EgressAudit implements EgressRecorder, AutoCloseable {
    /// Whoever asks for what a guest does is nobody: it does so by itself.
    private static final String CREDENTIAL = "sandbox";

    private static final long CLOSE_MILLIS_MAX = 5_000;

    private final AuditLog log;
    private final SandboxOwners owners;
    private final Clock clock;
    private final LongConsumer onDropped;
    /// Empty ones only wake the writer up.
    private final BlockingQueue<Optional<AuditEvent>> waiting =
            new LinkedBlockingQueue<>(Limits.EGRESS_RECORDS_WAITING_MAX);
    private final AtomicLong dropped = new AtomicLong();
    private final Thread writer;
    private volatile boolean closed;

    /// Begins to write.
    ///
    /// @param onDropped told how many records were left out, for metrics
    public EgressAudit(AuditLog log, SandboxOwners owners, Clock clock, LongConsumer onDropped) {
        this.log = log;
        this.owners = owners;
        this.clock = clock;
        this.onDropped = onDropped;
        writer = Thread.ofPlatform().daemon().name("egress-audit").start(this::write);
    }

    @Override
    public void record(EgressEvent event) {
        TenantId tenant = owners.ofEndedToo(event.sandbox()).orElse(TenantId.DEFAULT);
        AuditEvent record = new AuditEvent(
                event.at(),
                AuditEvent.Kind.NOTICE,
                0,
                new Principal(tenant, CREDENTIAL, Principal.Role.TENANT),
                event.kind().verb(),
                event.sandbox().value(),
                details(event));
        if (closed || !waiting.offer(Optional.of(record))) {
            dropped.incrementAndGet();
        }
    }

    private static SequencedMap<String, String> details(EgressEvent event) {
        SequencedMap<String, String> details = new LinkedHashMap<>();
        event.details().forEach((name, value) -> details.put(name, AuditTrail.cut(value)));
        return details;
    }

    private void write() {
        while (!closed || !waiting.isEmpty()) {
            try {
                waiting.take().ifPresent(this::append);
            } catch (InterruptedException _) {
                // Nobody interrupts it; the flag ends it.
            }
            tellDropped();
        }
    }

    private void append(AuditEvent event) {
        try {
            log.append(event);
        } catch (RuntimeException _) {
            // The log says itself that it cannot be written, to everybody who has something done.
            dropped.incrementAndGet();
        }
    }

    private void tellDropped() {
        long count = dropped.getAndSet(0);
        if (count == 0) {
            return;
        }
        onDropped.accept(count);
        SequencedMap<String, String> details = new LinkedHashMap<>();
        details.put("records", Long.toString(count));
        details.put("why", "more happened than could be written");
        try {
            log.append(new AuditEvent(
                    clock.instant(),
                    AuditEvent.Kind.NOTICE,
                    0,
                    new Principal(TenantId.DEFAULT, "glovebox", Principal.Role.TENANT),
                    "egress.dropped",
                    "",
                    details));
        } catch (RuntimeException _) {
            // Told in metrics; the log cannot be written.
        }
    }

    /// Writes what waits, for some seconds at most. Idempotent.
    @Override
    public void close() {
        closed = true;
        // If there is no room, the writer is awake anyway.
        boolean _ = waiting.offer(Optional.empty());
        try {
            writer.join(CLOSE_MILLIS_MAX);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
