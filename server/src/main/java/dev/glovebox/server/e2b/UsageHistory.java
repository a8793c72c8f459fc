package dev.glovebox.server.e2b;

import dev.glovebox.core.SandboxUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What a sandbox used, from its beginning until now. The more there is to remember, the fewer samples of it are kept:
/// when it is full, every second one goes, and from then on half as many are taken. Thread-safe.
public final class UsageHistory {
    /// How often the first samples are taken.
    public static final Duration INTERVAL = Duration.ofSeconds(5);
    /// Half an hour at first, a day in the end at two minutes a sample.
    static final int SAMPLES_MAX = 360;

    /// One moment.
    ///
    /// @param cpuShare of all processors that it may use, 0 to 1, since the moment before
    public record Sample(Instant at, SandboxUsage usage, double cpuShare) {}

    private final Instant begun;
    private final int processors;
    private List<Sample> samples = new ArrayList<>();
    private Duration interval = INTERVAL;

    /// A history that begins with the sandbox.
    ///
    /// @param processors whose time it can use
    UsageHistory(Instant begun, int processors) {
        this.begun = begun;
        this.processors = processors;
    }

    /// Whether it is time for another sample.
    public synchronized boolean isDue(Instant now) {
        Instant last = samples.isEmpty() ? begun : samples.getLast().at();
        // Less a second, because whoever asks is not that punctual.
        return !now.isBefore(last.plus(interval).minusSeconds(1));
    }

    /// Adds a sample.
    public synchronized void add(Instant now, SandboxUsage usage) {
        Instant before = samples.isEmpty() ? begun : samples.getLast().at();
        Duration used = samples.isEmpty()
                ? usage.cpuTime()
                : usage.cpuTime().minus(samples.getLast().usage().cpuTime());
        long passed = Duration.between(before, now).toNanos();
        double share = passed <= 0 ? 0 : (double) used.toNanos() / passed / processors;
        if (samples.size() == SAMPLES_MAX) {
            thin();
        }
        samples.add(new Sample(now, usage, Math.clamp(share, 0, 1)));
    }

    private void thin() {
        List<Sample> kept = new ArrayList<>();
        for (int i = 1; i < samples.size(); i += 2) {
            kept.add(samples.get(i));
        }
        samples = kept;
        interval = interval.multipliedBy(2);
    }

    /// Those from one moment to another, both included, oldest first.
    public synchronized List<Sample> between(Instant start, Instant end) {
        return samples.stream()
                .filter(sample -> !sample.at().isBefore(start) && !sample.at().isAfter(end))
                .toList();
    }
}
