package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GuestOutputTest {
    @ParameterizedTest
    @CsvSource({
        "image/png, png",
        "application/json, json",
        "application/vnd.glovebox.chart+json, chart.json",
        "application/vnd.glovebox.data+json, data.json",
        "application/geo+json, geo.json",
        "application/../../x+json, bin",
        "application/vnd.a/b+json, bin",
        "application/octet-stream, bin"
    })
    void namesResultsByTheirType(String type, String extension) {
        assertThat(GuestOutput.extension(type)).isEqualTo(extension);
    }
}
