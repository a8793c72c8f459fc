package dev.glovebox.wire.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whatever bytes come, a decoder gives frames or a [ProtocolException], and nothing else. The seeds are fixed.
@Timeout(10)
class FrameDecoderFuzzTest {
    private static final int ROUNDS = 5_000;

    @Test
    void survivesRandomBytes() {
        Random random = new Random(0x61_0e);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            decode(random, bytes);
        }
    }

    @Test
    void survivesValidStreamsWithAFewWrongBytes() {
        Random random = new Random(0x61_0f);
        int broken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = validStream(random);
            for (int wrong = random.nextInt(4); wrong > 0; wrong--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            broken += decode(random, bytes) ? 0 : 1;
        }
        assertThat(broken).as("some streams were broken and some were not").isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    @Test
    void readsTheFieldsOfWhateverPayloadComes() {
        Random random = new Random(0x61_10);
        for (int round = 0; round < ROUNDS / 10; round++) {
            byte[] bytes = Fields.builder()
                    .text(Tag.PATH, "/a/b")
                    .number(Tag.FILE_SIZE, random.nextLong() >>> 1)
                    .bytes(Tag.CODE, new byte[random.nextInt(50)])
                    .build()
                    .encode();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            readAll(bytes);
        }
    }

    /// False if the bytes broke the protocol.
    private static boolean decode(Random random, byte[] bytes) {
        FrameDecoder decoder = new FrameDecoder();
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        int[] payloads = {0};
        try {
            while (rest.hasRemaining()) {
                ByteBuffer part = rest.slice(rest.position(), Math.min(rest.remaining(), 1 + random.nextInt(40)));
                rest.position(rest.position() + part.remaining());
                decoder.decode(part, frame -> payloads[0] += frame.payload().length);
            }
            return true;
        } catch (ProtocolException broken) {
            assertThat(broken.getMessage()).isNotBlank();
            return false;
        } finally {
            assertThat(payloads[0]).as("it gives no more than it got").isLessThanOrEqualTo(bytes.length);
        }
    }

    private static byte[] validStream(Random random) {
        FrameType[] types = FrameType.values();
        ByteBuffer stream = ByteBuffer.allocate(4096);
        for (int frames = 1 + random.nextInt(5); frames > 0; frames--) {
            byte[] payload = new byte[random.nextInt(100)];
            random.nextBytes(payload);
            stream.put(new Frame(
                            types[random.nextInt(types.length)],
                            random.nextInt(0x10000),
                            random.nextInt(Integer.MAX_VALUE),
                            payload)
                    .encode());
        }
        byte[] bytes = new byte[stream.position()];
        stream.flip().get(bytes);
        return bytes;
    }

    private static void readAll(byte[] bytes) {
        try {
            Fields fields = Fields.decode(bytes);
            for (Tag tag : Tag.values()) {
                assertThat(fields.bytes(tag).length).isLessThanOrEqualTo(bytes.length);
                readText(fields, tag);
                readNumber(fields, tag);
            }
        } catch (ProtocolException broken) {
            assertThat(broken.getMessage()).isNotBlank();
        }
    }

    private static void readText(Fields fields, Tag tag) {
        try {
            assertThat(fields.text(tag).isPresent()).isEqualTo(fields.has(tag));
        } catch (ProtocolException broken) {
            assertThat(broken.getMessage()).isEqualTo("field " + tag + " is not UTF-8");
        }
    }

    private static void readNumber(Fields fields, Tag tag) {
        try {
            assertThat(fields.number(tag, 0)).isNotNegative();
        } catch (ProtocolException broken) {
            assertThat(broken.getMessage()).startsWith("field " + tag);
        }
    }
}
