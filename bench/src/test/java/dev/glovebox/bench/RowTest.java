package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowTest {
    private static String verdict(double figure, double bare, Target target) {
        return new Row("s", "w", new Figure(figure, "ms", ""), new Figure(bare, "ms", ""), target).verdict();
    }

    @Test
    void meetsATargetAtItsBoundAndMissesItBeyond() {
        assertThat(verdict(3, 1, Target.atMost(3))).isEqualTo("ok");
        assertThat(verdict(3.01, 1, Target.atMost(3))).isEqualTo("MISSED");
        assertThat(verdict(300, 1, Target.atLeast(300))).isEqualTo("ok");
        assertThat(verdict(299, 1, Target.atLeast(300))).isEqualTo("MISSED");
    }

    @Test
    void aTargetMayBeOnTheRatio() {
        assertThat(verdict(15, 10, Target.ratioAtMost(1.5))).isEqualTo("ok");
        assertThat(verdict(15.1, 10, Target.ratioAtMost(1.5))).isEqualTo("MISSED");
        assertThat(Target.ratioAtMost(1.5).text("ms")).isEqualTo("<= 1.50 x");
    }

    @Test
    void whatWasNotMeasuredHasNoVerdict() {
        assertThat(verdict(Double.NaN, 10, Target.atMost(1))).isEqualTo("?");
        assertThat(verdict(1, 0, Target.ratioAtMost(1))).isEqualTo("?");
        assertThat(new Row("s", "w", new Figure(1, "ms", ""), null, null).verdict())
                .isEqualTo("-");
    }
}
