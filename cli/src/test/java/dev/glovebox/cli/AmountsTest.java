package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AmountsTest {
    @Test
    void readsDurations() {
        assertThat(Amounts.duration("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(Amounts.duration("5s")).isEqualTo(Duration.ofSeconds(5));
        assertThat(Amounts.duration("7")).isEqualTo(Duration.ofSeconds(7));
        assertThat(Amounts.duration("10m")).isEqualTo(Duration.ofMinutes(10));
        assertThat(Amounts.duration("1h")).isEqualTo(Duration.ofHours(1));
        for (String wrong : new String[] {"", "s", "-1s", "1d", "1.5s", "9999999999999s"}) {
            assertThatThrownBy(() -> Amounts.duration(wrong)).as(wrong).hasMessageContaining("such as");
        }
    }

    @Test
    void readsSizes() {
        assertThat(Amounts.bytes("64M")).isEqualTo(64L << 20);
        assertThat(Amounts.bytes("64mib")).isEqualTo(64L << 20);
        assertThat(Amounts.bytes("1G")).isEqualTo(1L << 30);
        assertThat(Amounts.bytes("512k")).isEqualTo(512L << 10);
        assertThat(Amounts.bytes("1000")).isEqualTo(1000);
        for (String wrong : new String[] {"", "M", "-1M", "1T", "1.5G"}) {
            assertThatThrownBy(() -> Amounts.bytes(wrong)).as(wrong).hasMessageContaining("such as");
        }
    }

    @Test
    void showsThem() {
        assertThat(Amounts.show(Duration.ofMillis(12))).isEqualTo("12 ms");
        assertThat(Amounts.show(Duration.ofMillis(3449))).isEqualTo("3.4 s");
        assertThat(Amounts.show(Duration.ofMillis(9960))).isEqualTo("10.0 s");
        assertThat(Amounts.show(10_276_045L)).isEqualTo("9.8 MiB");
        assertThat(Amounts.show(2048L)).isEqualTo("2.0 KiB");
    }

    @Test
    void showsTimesWithoutPartsOfSeconds() {
        assertThat(Amounts.toSeconds("2026-01-02T03:04:05.678901Z")).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(Amounts.toSeconds("2026-01-02T03:04:05Z")).isEqualTo("2026-01-02T03:04:05Z");
    }
}
