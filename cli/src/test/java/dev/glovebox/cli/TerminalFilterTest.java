package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalFilterTest {
    private static String filtered(String text) {
        return new String(new TerminalFilter().push(text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain text\r\n\t\b",
                "ünï 😀 \u00a0",
                "\u001b[1;31mred\u001b[0m",
                "\u001b[?1049h\u001b[2J\u001b[10;20H",
                "\u001b(B\u001b7\u001b8\u001b=\u001bM",
                "\u001b[?2004h",
                "\u001b[38;2;1;2;3m"
            })
    void letsThroughWhatAScreenNeeds(String text) {
        assertThat(filtered(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b]0;title\u0007",
                "\u001b]52;c;aGVsbG8=\u001b\\",
                "\u001bP$qm\u001b\\",
                "\u001b_anything\u001b\\",
                "\u001b^anything\u001b\\",
                "\u001bXanything\u001b\\",
                "\u001b[c",
                "\u001b[>0q",
                "\u001b[6n",
                "\u001b[21t",
                "\u001b[8;1;1t",
                "\u001bZ",
                "\u009d0;title",
                "\u0090q",
                "\u009b"
            })
    void takesOutWhatReachesBeyondIt(String text) {
        assertThat(filtered("a" + text)).doesNotContain("\u001b").startsWith("a");
        assertThat(filtered(text)).doesNotContain("\u009d", "\u0090", "\u009b");
    }

    @Test
    void anEscapeEndsAStringAndItsNextCharacterIsPartOfTheEnd() {
        assertThat(filtered("a\u001b]0;x\u001b[31m y")).isEqualTo("a31m y");
        assertThat(filtered("a\u001b]0;x\u0007b")).isEqualTo("ab");
    }

    @Test
    void aSequenceThatDoesNotEndIsTakenOut() {
        assertThat(filtered("\u001b[" + "1;".repeat(500) + "mtext")).doesNotContain("\u001b");
    }

    @Test
    void cutsMakeNoDifference() {
        String all = "a\u001b[1mb\u001b]0;t\u001b\\c\u00e9\u001b[6nd\u009de\u001b(Bf";
        byte[] bytes = all.getBytes(StandardCharsets.UTF_8);
        String whole = filtered(all);
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            TerminalFilter filter = new TerminalFilter();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int from = 0; from < bytes.length; ) {
                int to = Math.min(bytes.length, from + 1 + random.nextInt(4));
                out.writeBytes(filter.push(java.util.Arrays.copyOfRange(bytes, from, to)));
                from = to;
            }
            assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(whole);
        }
    }
}
