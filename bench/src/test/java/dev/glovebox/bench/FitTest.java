package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class FitTest {
    @Test
    void findsTheSlopeOfALine() {
        assertThat(Fit.slope(List.of(0.0, 10.0, 20.0, 30.0), List.of(5.0, 25.0, 45.0, 65.0)))
                .isCloseTo(2, within(1e-9));
        assertThat(Fit.slope(List.of(0.0, 1.0, 2.0, 3.0), List.of(1.0, 3.0, 3.0, 1.0)))
                .isCloseTo(0, within(1e-9));
    }

    @Test
    void aSinglePointHasNone() {
        assertThat(Fit.slope(List.of(1.0), List.of(9.0))).isZero();
        assertThat(Fit.slope(List.of(), List.of())).isZero();
    }
}
