package dev.glovebox.cell.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void quotesInAsciiAndReadsItBack() {
        String nasty = "a\"b\\c\n\u0000\u00e9\ud83d\ude00</script>";
        String quoted = Json.quote(nasty);
        assertThat(quoted).matches("[\\x20-\\x7e]+");
        assertThat(Json.read("{\"x\":" + quoted + "}")).containsEntry("x", nasty);
    }

    @Test
    void keepsValuesThatAreNoTextsAsTheirJson() {
        assertThat(Json.read("{\"a\": {\"b\":[1, \"}\"]}, \"c\":true,\"d\":-1.5e3}"))
                .isEqualTo(Map.of("a", "{\"b\":[1, \"}\"]}", "c", "true", "d", "-1.5e3"));
        assertThat(Json.readArray("[\"/tmp/a\",true]")).isEqualTo(List.of("/tmp/a", "true"));
    }

    @Test
    void refusesWhatIsNoObjectAndWhatNestsTooDeeply() {
        for (String text :
                List.of("", "[]", "{", "{\"a\"}", "{\"a\":1", "{\"a\":1}x", "{\"a\":\"\\q\"}", "{\"a\":\"\\u12")) {
            assertThatThrownBy(() -> Json.read(text)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Json.read("{\"a\":" + "[".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
