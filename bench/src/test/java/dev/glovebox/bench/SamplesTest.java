package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SamplesTest {
    private static final long MILLI = 1_000_000;

    @Test
    void findsPercentilesByRank() {
        Samples samples = Samples.of(LongStream.rangeClosed(1, 100)
                .map(n -> (101 - n) * MILLI)
                .boxed()
                .toList());
        assertThat(samples.median()).isEqualTo(50);
        assertThat(samples.percentile(95)).isEqualTo(95);
        assertThat(samples.percentile(99)).isEqualTo(99);
        assertThat(samples.max()).isEqualTo(100);
        assertThat(samples.mean()).isEqualTo(50.5);
    }

    @Test
    void oneValueIsEveryPercentile() {
        Samples samples = Samples.of(List.of(7 * MILLI));
        assertThat(samples.percentile(0)).isEqualTo(7);
        assertThat(samples.median()).isEqualTo(7);
        assertThat(samples.max()).isEqualTo(7);
    }

    @Test
    void nothingMeasuredIsNoNumber() {
        Samples samples = Samples.of(List.of());
        assertThat(samples.isEmpty()).isTrue();
        assertThat(samples.median()).isNaN();
        assertThat(Figure.median(samples).text()).isEqualTo("-");
    }
}
