package dev.glovebox.bench;

import java.util.Arrays;
import java.util.List;

/// Durations that were measured, in nanoseconds, sorted. Immutable.
final class Samples {
    private static final double NANOS_PER_MILLI = 1e6;

    private final long[] sorted;

    private Samples(long[] sorted) {
        this.sorted = sorted;
    }

    static Samples of(List<Long> nanos) {
        long[] values = nanos.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(values);
        return new Samples(values);
    }

    int count() {
        return sorted.length;
    }

    boolean isEmpty() {
        return sorted.length == 0;
    }

    /// The smallest value that `percent` of all values do not exceed, in milliseconds.
    double percentile(double percent) {
        if (isEmpty()) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.clamp(rank - 1, 0, sorted.length - 1)] / NANOS_PER_MILLI;
    }

    double median() {
        return percentile(50);
    }

    double max() {
        return percentile(100);
    }

    double mean() {
        return Arrays.stream(sorted).average().orElse(Double.NaN) / NANOS_PER_MILLI;
    }

    /// The tail, for the column of details.
    String tail() {
        return "p95 " + Figure.number(percentile(95)) + ", p99 " + Figure.number(percentile(99)) + ", n " + count();
    }
}
