package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TerminalTextTest {
    private static String shown(byte[]... chunks) {
        TerminalText text = new TerminalText();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] chunk : chunks) {
            all.writeBytes(text.push(chunk));
        }
        all.writeBytes(text.finish());
        return all.toString(StandardCharsets.UTF_8);
    }

    private static String shown(String text) {
        return shown(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hex(String hex) {
        return shown(HexFormat.of().parseHex(hex));
    }

    @Test
    void letsTextPass() {
        String text = "héllo\tworld\nΩ 日本 \uD83D\uDC69\u200D\uD83D\uDE80 \uFFFD ~";
        assertThat(shown(text)).isEqualTo(text);
    }

    @Test
    void showsControlsInsteadOfSendingThem() {
        assertThat(shown("\u001b[31mred\u001b]0;title\u0007")).isEqualTo("\\x1b[31mred\\x1b]0;title\\x07");
        assertThat(shown("a\bb\u0000\u007f")).isEqualTo("a\\x08b\\x00\\x7f");
        assertThat(shown("\u009b31m\u0085")).isEqualTo("\\u009b31m\\u0085");
        assertThat(hex("9b33316d")).isEqualTo("\\x9b31m");
    }

    @Test
    void keepsLineEndsOfWindowsButNoBareReturn() {
        assertThat(shown("a\r\nb")).isEqualTo("a\nb");
        assertThat(shown("safe\rfake")).isEqualTo("safe\\x0dfake");
        assertThat(shown("end\r")).isEqualTo("end\\x0d");
        assertThat(shown("a\r".getBytes(StandardCharsets.UTF_8), "\nb".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("a\nb");
    }

    @Test
    void showsWhatReordersOrHidesText() {
        assertThat(shown("\u202eevil\u202c\u2066\u200b\ufeff\u061c\u2028"))
                .isEqualTo("\\u202eevil\\u202c\\u2066\\u200b\\ufeff\\u061c\\u2028");
        assertThat(shown(new String(Character.toChars(0xE0041)))).isEqualTo("\\U000e0041");
    }

    @Test
    void showsBytesThatAreNoText() {
        assertThat(hex("ff")).isEqualTo("\\xff");
        assertThat(hex("c3")).isEqualTo("\\xc3");
        assertThat(hex("c328")).isEqualTo("\\xc3(");
        assertThat(hex("c080")).isEqualTo("\\xc0\\x80");
        assertThat(hex("e0809b")).isEqualTo("\\xe0\\x80\\x9b");
        assertThat(hex("eda080")).isEqualTo("\\xed\\xa0\\x80");
        assertThat(hex("f4908080")).isEqualTo("\\xf4\\x90\\x80\\x80");
        assertThat(hex("f09f98")).isEqualTo("\\xf0\\x9f\\x98");
        assertThat(hex("e2821b5b")).isEqualTo("\\xe2\\x82\\x1b[");
    }

    @Test
    void isNotFooledByTheBordersOfChunks() {
        byte[] text = "aé日\uD83D\uDE80\u001b[0m\u202e\r\n".getBytes(StandardCharsets.UTF_8);
        String whole = shown(text);
        for (int cut = 0; cut <= text.length; cut++) {
            assertThat(shown(Arrays.copyOf(text, cut), Arrays.copyOfRange(text, cut, text.length)))
                    .isEqualTo(whole);
        }
    }

    @Test
    void neverSendsAControlWhateverComes() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            byte[] noise = new byte[random.nextInt(64)];
            random.nextBytes(noise);
            String shown = shown(noise);
            assertThat(shown.getBytes(StandardCharsets.UTF_8)).satisfies(bytes -> {
                for (byte b : bytes) {
                    assertThat(b < 0 || b >= 0x20 || b == '\n' || b == '\t').isTrue();
                }
            });
            assertThat(shown.codePoints().noneMatch(c -> c >= 0x7f && c < 0xa0)).isTrue();
        }
    }
}
