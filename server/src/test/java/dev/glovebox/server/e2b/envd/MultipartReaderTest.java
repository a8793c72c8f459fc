package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class MultipartReaderTest {
    private static final String BOUNDARY = "----formdata-undici-012345678901";

    /// A stream that hands out at most so many bytes at once.
    private static InputStream trickle(byte[] bytes, int step) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(step, length));
            }
        };
    }

    private static byte[] body(Map<String, byte[]> files) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        files.forEach((name, content) -> {
            body.writeBytes(("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name
                            + "\"\r\nContent-Type: application/octet-stream\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            body.writeBytes(content);
            body.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
        });
        body.writeBytes(("--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    private static Map<String, byte[]> read(InputStream in, String boundary) throws IOException {
        MultipartReader reader = new MultipartReader(in, boundary);
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (Optional<MultipartReader.Part> part = reader.next(); part.isPresent(); part = reader.next()) {
            Map<String, String> parameters =
                    Dispositions.parameters(part.get().headers().getOrDefault("content-disposition", ""));
            files.put(
                    Dispositions.fileName(parameters).orElseThrow(),
                    part.get().content().readAllBytes());
        }
        return files;
    }

    private static Map<String, byte[]> samples() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        Random random = new Random(3);
        byte[] large = new byte[300_000];
        random.nextBytes(large);
        files.put("a/b.bin", large);
        files.put("empty", new byte[0]);
        files.put("ä 😀.txt", ("\r\n--" + BOUNDARY.substring(1) + "\r\n-\r\n--\r").getBytes(StandardCharsets.UTF_8));
        files.put("breaks", "\r\n\r\n\r\r\n".getBytes(StandardCharsets.UTF_8));
        return files;
    }

    @Test
    void partsComeOutAsTheyWentInHoweverTheyArrive() throws IOException {
        Map<String, byte[]> files = samples();
        byte[] body = body(files);
        for (int step : new int[] {1, 2, 7, 63, 64, 65, 4096, 65_536, 1_000_000}) {
            Map<String, byte[]> found = read(trickle(body, step), BOUNDARY);
            assertThat(found.keySet()).containsExactlyElementsOf(files.keySet());
            files.forEach(
                    (name, content) -> assertThat(found.get(name)).as(name).isEqualTo(content));
        }
    }

    @Test
    void aPartThatNobodyReadsIsPassedOver() throws IOException {
        MultipartReader reader = new MultipartReader(new ByteArrayInputStream(body(samples())), BOUNDARY);
        int count = 0;
        while (reader.next().isPresent()) {
            count++;
        }
        assertThat(count).isEqualTo(4);
    }

    @Test
    void whatStandsBeforeTheFirstPartIsPassedOver() throws IOException {
        byte[] body = body(Map.of("a", "1".getBytes(StandardCharsets.UTF_8)));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes("This is a preamble\r\n".getBytes(StandardCharsets.UTF_8));
        all.writeBytes(body);
        assertThat(read(new ByteArrayInputStream(all.toByteArray()), BOUNDARY)).containsOnlyKeys("a");
    }

    @Test
    void nothingAtAllIsAFormToo() throws IOException {
        assertThat(read(new ByteArrayInputStream(body(Map.of())), BOUNDARY)).isEmpty();
    }

    @Test
    void aBodyThatEndsEarlyIsRefusedWhereverItEnds() {
        byte[] body = body(Map.of("name", "some content".getBytes(StandardCharsets.UTF_8)));
        // The last four bytes are the two dashes' own and the end of their line.
        for (int length = 0; length < body.length - 2; length++) {
            byte[] cut = Arrays.copyOf(body, length);
            assertThatThrownBy(() -> read(new ByteArrayInputStream(cut), BOUNDARY))
                    .as("cut at " + length)
                    .isInstanceOf(HttpRefusal.class);
        }
    }

    @Test
    void headsHaveABound() {
        String head = "--x\r\nA: " + "b".repeat(20_000) + "\r\n\r\n\r\n--x--";
        assertThatThrownBy(() -> read(new ByteArrayInputStream(head.getBytes(StandardCharsets.UTF_8)), "x"))
                .isInstanceOf(HttpRefusal.class);
        String many = "--x\r\n" + "A: b\r\n".repeat(20_000) + "\r\n\r\n--x--";
        assertThatThrownBy(() -> read(new ByteArrayInputStream(many.getBytes(StandardCharsets.UTF_8)), "x"))
                .isInstanceOf(HttpRefusal.class);
        assertThatThrownBy(() -> new MultipartReader(InputStream.nullInputStream(), ""))
                .isInstanceOf(HttpRefusal.class);
        assertThatThrownBy(() -> new MultipartReader(InputStream.nullInputStream(), "x".repeat(71)))
                .isInstanceOf(HttpRefusal.class);
    }

    @Test
    void garbageIsRefusedAndNothingElse() throws IOException {
        byte[] good = body(Map.of("name", "some content".getBytes(StandardCharsets.UTF_8)));
        Random random = new Random(11);
        for (int round = 0; round < 5_000; round++) {
            byte[] bytes = good.clone();
            for (int i = 0; i <= random.nextInt(6); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            MultipartReader reader = new MultipartReader(new ByteArrayInputStream(bytes), BOUNDARY);
            try {
                for (Optional<MultipartReader.Part> part = reader.next(); part.isPresent(); part = reader.next()) {
                    Dispositions.fileName(
                            Dispositions.parameters(part.get().headers().getOrDefault("content-disposition", "")));
                    part.get().content().readAllBytes();
                }
            } catch (HttpRefusal refused) {
                assertThat(refused.status()).isEqualTo(400);
            }
        }
    }
}
