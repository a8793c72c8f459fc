package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Limits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFeedTest {
    /// A stream that gives a few bytes at a time.
    private static HttpFeed feed(String text) {
        Random random = new Random(text.length());
        InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)) {
            @Override
            public int read(byte[] bytes, int offset, int length) {
                return super.read(bytes, offset, Math.min(length, 1 + random.nextInt(9)));
            }
        };
        return new HttpFeed(in);
    }

    private static String body(BodyFraming framing, String text) throws IOException, HttpRefusal {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        feed(text).body(framing, out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void readsHeadsOneAfterAnother() throws IOException, HttpRefusal {
        HttpFeed feed = feed("A\r\n\r\nB: c\r\n\r\n");
        assertThat(feed.head())
                .get()
                .extracting(head -> new String(head, StandardCharsets.US_ASCII))
                .isEqualTo("A\r\n\r\n");
        assertThat(feed.head())
                .get()
                .extracting(head -> new String(head, StandardCharsets.US_ASCII))
                .isEqualTo("B: c\r\n\r\n");
        assertThat(feed.head()).isEmpty();
        assertThatThrownBy(() -> feed("A\r\n").head()).hasMessageContaining("ends within its head");
        assertThatThrownBy(() -> feed("A".repeat(Limits.EGRESS_REQUEST_HEAD_BYTES_MAX + 1))
                        .head())
                .hasMessageContaining("longer than");
    }

    @Test
    void passesBodiesOn() throws IOException, HttpRefusal {
        assertThat(body(new BodyFraming.Length(5), "12345rest")).isEqualTo("12345");
        assertThat(body(new BodyFraming.Length(0), "rest")).isEmpty();
        assertThat(body(new BodyFraming.Chunked(), "3;ext=\"x\"\r\nabc\r\n0000A\r\n0123456789\r\n0\r\n\r\nrest"))
                .isEqualTo("3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n");
        assertThat(body(new BodyFraming.Chunked(), "0\r\nTrailer: Authorization\r\n\r\n"))
                .as("fields after the end are dropped")
                .isEqualTo("0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3\nabc\r\n0\r\n\r\n",
                "3 \r\nabc\r\n0\r\n\r\n",
                "0x3\r\nabc\r\n0\r\n\r\n",
                "+3\r\nabc\r\n0\r\n\r\n",
                "-1\r\nabc\r\n",
                "\r\nabc",
                ";x\r\nabc",
                "ffffffffffffffff\r\nabc",
                "3\r\nabcd\r\n0\r\n\r\n",
                "3\r\nabc\n0\r\n\r\n",
                "3\rabc",
                "0\r\nbad trailer\r\n\r\n",
                "0\r\n folded: x\r\n\r\n",
            })
    void refusesChunksThatCouldBeReadInTwoWays(String text) {
        assertThatThrownBy(() -> body(new BodyFraming.Chunked(), text)).isInstanceOf(HttpRefusal.class);
    }

    @Test
    void chunksAndTrailersHaveAnEnd() {
        assertThatThrownBy(() -> body(new BodyFraming.Chunked(), "1;" + "x".repeat(5000)))
                .hasMessageContaining("longer than");
        assertThatThrownBy(() -> body(new BodyFraming.Chunked(), "0\r\n" + "A: b\r\n".repeat(20_000)))
                .hasMessageContaining("no end");
    }

    @Test
    void anEarlyEndIsOne() {
        assertThatThrownBy(() -> body(new BodyFraming.Length(5), "1234")).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> body(new BodyFraming.Chunked(), "5\r\n1234")).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> body(new BodyFraming.Chunked(), "5")).isInstanceOf(EOFException.class);
    }
}
