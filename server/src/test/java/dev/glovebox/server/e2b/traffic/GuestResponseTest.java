package dev.glovebox.server.e2b.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a hostile server may answer: it is understood exactly, or refused.
@Timeout(60)
final class GuestResponseTest {
    private static final int MUTATIONS = 20_000;

    private static final List<String> GOOD = List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n3\r\nyou\r\n0\r\nX-T: t\r\n\r\n",
            "HTTP/1.0 404 \r\n\r\nuntil the end",
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nframes");

    /// Gives the bytes in pieces, then the end.
    private static DataReader reader(byte[] bytes, int piece) {
        int[] at = {0};
        return DataReader.create(() -> {
            if (at[0] == bytes.length) {
                return null;
            }
            int end = Math.min(bytes.length, at[0] + piece);
            byte[] part = Arrays.copyOfRange(bytes, at[0], end);
            at[0] = end;
            return part;
        });
    }

    private static GuestResponse read(String text, boolean isHead, boolean mayUpgrade) throws IOException {
        return GuestResponse.read(reader(text.getBytes(StandardCharsets.ISO_8859_1), 7), isHead, mayUpgrade);
    }

    private static String body(GuestResponse response) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] part = response.next(); part != null; part = response.next()) {
            assertThat(part).isNotEmpty();
            body.writeBytes(part);
        }
        return body.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void readsEveryWayToEndABody() throws IOException {
        assertThat(body(read(GOOD.get(0), false, false))).isEqualTo("hello");
        assertThat(body(read(GOOD.get(1), false, false))).isEqualTo("helloyou");
        assertThat(body(read(GOOD.get(2), false, false))).isEqualTo("until the end");
        GuestResponse none = read(GOOD.get(3), false, false);
        assertThat(none.status()).isEqualTo(204);
        assertThat(none.hasBody()).isFalse();
        GuestResponse head = read(GOOD.get(0), true, false);
        assertThat(head.hasBody()).isFalse();
        assertThat(head.headers().first(HeaderNames.CONTENT_LENGTH)).contains("5");
        assertThat(read(GOOD.get(4), false, true).isUpgrade()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nA: b",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 099 Low\r\n\r\n",
                "HTTP/1.1 2000 Long\r\n\r\n",
                "HTTP/1.1  200 Spaces\r\n\r\n",
                "HTTP/1.1 200 OK\nA: b\n\n",
                "HTTP/1.1 200 OK\r\n : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            })
    void refusesAHeadThatIsNone(String text) {
        assertThatThrownBy(() -> read(text, false, false)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\n\r\nhell",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello",
                "Transfer-Encoding: chunked\r\n\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n0\r\nX-T: t",
            })
    void refusesABodyThatDoesNotEndAsItSaid(String rest) throws IOException {
        GuestResponse response = read("HTTP/1.1 200 OK\r\n" + rest, false, false);
        assertThatThrownBy(() -> body(response)).isInstanceOf(IOException.class);
    }

    @Test
    void boundsWhatItHolds() {
        assertThatThrownBy(() -> read("HTTP/1.1 200 " + "x".repeat(2000), false, false))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\nA: " + "x".repeat(70_000) + "\r\n\r\n", false, false))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(20_000) + "\r\n", false, false))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100), false, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("without an answer");
        String chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + "x".repeat(1000) + "\r\nhello\r\n";
        assertThatThrownBy(() -> body(read(chunk, false, false))).isInstanceOf(IOException.class);
    }

    @Test
    void survivesWhateverComes() throws IOException {
        Random random = new Random(20261130);
        int understood = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = mutate(GOOD.get(random.nextInt(GOOD.size())), random);
            try {
                body(GuestResponse.read(
                        reader(bytes, 1 + random.nextInt(40)), random.nextBoolean(), random.nextBoolean()));
                understood++;
            } catch (IOException _) {
                // Refused.
            }
        }
        assertThat(understood).isBetween(MUTATIONS / 20, MUTATIONS * 19 / 20);
    }

    private static byte[] mutate(String text, Random random) {
        StringBuilder mutated = new StringBuilder(text);
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(mutated.length());
            switch (random.nextInt(4)) {
                case 0 -> mutated.setCharAt(at, (char) random.nextInt(256));
                case 1 -> mutated.deleteCharAt(at);
                case 2 -> mutated.insert(at, "\r\n");
                default -> mutated.insert(at, mutated.substring(at, Math.min(mutated.length(), at + 9)));
            }
        }
        return mutated.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
