package dev.glovebox.server.e2b.interpreter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.MimeBundle;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

final class EventLinesTest {
    private static final EventLines LINES =
            new EventLines(Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC));

    private static JsonNode read(byte[] line) {
        for (int i = 0; i < line.length - 1; i++) {
            assertThat((int) line[i]).as("byte " + i).isBetween(0x20, 0x7e);
        }
        assertThat(line[line.length - 1]).isEqualTo((byte) '\n');
        return new ObjectMapper().readTree(line);
    }

    @Test
    void everythingIsAsciiOnOneLine() {
        JsonNode output = read(LINES.output(false, "h\u00e9\ud83d\ude00\n\"\\\u2028\u0000"));
        assertThat(output.get("type").asString()).isEqualTo("stdout");
        assertThat(output.get("text").asString()).isEqualTo("h\u00e9\ud83d\ude00\n\"\\\u2028\u0000");
        assertThat(output.get("timestamp").asString()).isEqualTo("2026-11-30T12:00:00Z");
        JsonNode error = read(LINES.error("N\u00e4me", "v", "t\n"));
        assertThat(error.get("name").asString()).isEqualTo("N\u00e4me");
        assertThat(error.get("traceback").asString()).isEqualTo("t\n");
        assertThat(read(LINES.number(7)).get("execution_count").asInt()).isEqualTo(7);
        assertThat(new String(LINES.keepalive(), StandardCharsets.US_ASCII)).isEqualTo("{\"type\":\"keepalive\"}\n");
        assertThat(new String(LINES.end(), StandardCharsets.US_ASCII)).isEqualTo("{\"type\":\"end_of_execution\"}\n");
    }

    @Test
    void representationsHaveTheKeysOfTheClients() {
        Map<String, String> data = new LinkedHashMap<>();
        data.put("text/plain", "'abc'");
        data.put("text/html", "<b>");
        data.put("image/png", "AAAA");
        data.put("application/json", "{\"a\":[1,\"\u00e4\"]}");
        data.put("application/vnd.glovebox.chart+json", "{\"type\":\"line\",\"elements\":[]}");
        data.put("application/vnd.glovebox.data+json", "{\"a\":[1.5,null]}");
        data.put("application/x-other", "rest");
        data.put("is_main_result", "forged");
        JsonNode result = read(LINES.result(new MimeBundle(true, data)));
        assertThat(result.get("type").asString()).isEqualTo("result");
        assertThat(result.get("is_main_result").asBoolean()).isTrue();
        assertThat(result.get("text").asString()).isEqualTo("abc");
        assertThat(result.get("html").asString()).isEqualTo("<b>");
        assertThat(result.get("png").asString()).isEqualTo("AAAA");
        assertThat(result.get("json").get("a").get(1).asString()).isEqualTo("\u00e4");
        assertThat(result.get("chart").get("type").asString()).isEqualTo("line");
        assertThat(result.get("data").get("a").get(0).asDouble()).isEqualTo(1.5);
        assertThat(result.get("application/x-other").asString()).isEqualTo("rest");
        assertThat(result.get("extra").size()).isEqualTo(1);
        assertThat(result.get("extra").get("application/x-other").asString()).isEqualTo("rest");
        assertThat(result.size()).isEqualTo(10);
    }

    @Test
    void aGuestsJsonCannotLeaveItsPlace() {
        for (String hostile : new String[] {
            "{}},{\"type\":\"error\"",
            "{\"a\":1}\n{\"type\":\"end_of_execution\"}",
            "",
            "nonsense",
            "[".repeat(5000),
            "{\"a\":NaN}"
        }) {
            JsonNode result = read(LINES.result(new MimeBundle(false, Map.of("application/json", hostile))));
            assertThat(result.get("json").asString()).isEqualTo(hostile);
            assertThat(result.get("is_main_result").asBoolean()).isFalse();
        }
    }
}
