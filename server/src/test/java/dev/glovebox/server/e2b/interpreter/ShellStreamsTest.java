package dev.glovebox.server.e2b.interpreter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// What is put together from pieces: marks of a shell, and characters.
final class ShellStreamsTest {
    private static final String MARK = "0123456789abcdef";

    @Test
    void aMarkIsFoundWhereverItIsSplit() {
        byte[] all = ("some \036 output \03601234\n\036" + MARK + " 17\nlater").getBytes(StandardCharsets.US_ASCII);
        for (int cut = 0; cut <= all.length; cut++) {
            for (int second = cut; second <= all.length; second += 3) {
                MarkedStream stream = new MarkedStream(MARK);
                stream.begin();
                ByteArrayOutputStream own = new ByteArrayOutputStream();
                own.writeBytes(stream.push(Arrays.copyOf(all, cut)));
                own.writeBytes(stream.push(Arrays.copyOfRange(all, cut, second)));
                own.writeBytes(stream.push(Arrays.copyOfRange(all, second, all.length)));
                assertThat(own.toString(StandardCharsets.US_ASCII)).isEqualTo("some \036 output \03601234\n");
                assertThat(stream.status()).isEqualTo(-1);
                stream.handedOn();
                assertThat(stream.status()).isEqualTo(17);
            }
        }
    }

    @Test
    void charactersAreWholeHoweverTheyArrive() {
        byte[] bytes = "h\u00e9\u20ac\ud83d\ude00!".getBytes(StandardCharsets.UTF_8);
        for (int step = 1; step <= bytes.length; step++) {
            Utf8Text text = new Utf8Text();
            StringBuilder found = new StringBuilder();
            for (int at = 0; at < bytes.length; at += step) {
                String piece = text.push(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + step)));
                assertThat(piece).doesNotContain("\ufffd");
                found.append(piece);
            }
            assertThat(found.append(text.finish())).hasToString("h\u00e9\u20ac\ud83d\ude00!");
        }
    }

    @Test
    void codeMayStandIndented() {
        assertThat(InterpreterKernel.dedented("\n\n    if x:\n        y\n  z\n\n"))
                .isEqualTo("\n\nif x:\n    y\n  z\n\n");
        assertThat(InterpreterKernel.dedented("if x:\n    y")).isEqualTo("if x:\n    y");
        assertThat(InterpreterKernel.dedented("\t\tx\n\ty")).isEqualTo("x\n\ty");
        assertThat(InterpreterKernel.dedented("")).isEmpty();
        assertThat(InterpreterKernel.dedented("  ")).isEqualTo("  ");
    }

    @Test
    void whatIsNoTextIsMarked() {
        Utf8Text text = new Utf8Text();
        assertThat(text.push(new byte[] {'a', (byte) 0xff, 'b', (byte) 0xe2, (byte) 0x82}))
                .isEqualTo("a\ufffdb");
        assertThat(text.finish()).isEqualTo("\ufffd");
        assertThat(text.finish()).isEmpty();
    }
}
