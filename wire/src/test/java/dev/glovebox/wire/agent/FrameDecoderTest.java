package dev.glovebox.wire.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class FrameDecoderTest {
    private final FrameDecoder decoder = new FrameDecoder();
    private final List<Frame> frames = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(FrameType.class)
    void givesBackAFrameOfEveryType(FrameType type) {
        Frame frame = new Frame(type, 0xffff, Integer.MAX_VALUE, bytes("hello"));

        decoder.decode(frame.encode(), frames::add);

        assertThat(frames).hasSize(1);
        assertSame(frames.getFirst(), frame);
        assertThat(decoder.isBetweenFrames()).isTrue();
    }

    @Test
    void encodesAHeaderAsThePageSays() {
        byte[] encoded = new Frame(FrameType.DATA, 0x0102, 0x03040506, bytes("x"))
                .encode()
                .array();

        assertThat(encoded).containsExactly(0, 0, 0, 1, 4, 0, 1, 2, 3, 4, 5, 6, 'x');
    }

    @Test
    void givesBackFramesThatAreCutAtAnyTwoBytes() {
        byte[] stream = join(
                new Frame(FrameType.OPEN, 1, 7, bytes("open")),
                Frame.of(FrameType.CANCEL, 0, 7),
                new Frame(FrameType.DATA, 1, 7, new byte[] {0}));
        for (int first = 0; first <= stream.length; first++) {
            for (int second = first; second <= stream.length; second++) {
                FrameDecoder cutDecoder = new FrameDecoder();
                List<Frame> got = new ArrayList<>();
                cutDecoder.decode(ByteBuffer.wrap(stream, 0, first), got::add);
                cutDecoder.decode(ByteBuffer.wrap(stream, first, second - first), got::add);
                cutDecoder.decode(ByteBuffer.wrap(stream, second, stream.length - second), got::add);
                assertThat(got)
                        .extracting(Frame::type)
                        .containsExactly(FrameType.OPEN, FrameType.CANCEL, FrameType.DATA);
                assertThat(got.getFirst().payload()).isEqualTo(bytes("open"));
                assertThat(cutDecoder.isBetweenFrames()).isTrue();
            }
        }
    }

    @Test
    void knowsAtEveryByteWhetherTheStreamMayEnd() {
        byte[] stream = join(new Frame(FrameType.PING, 0, 0, bytes("abc")));
        for (int i = 0; i < stream.length; i++) {
            assertThat(decoder.isBetweenFrames()).as("before byte %d", i).isEqualTo(i == 0);
            decoder.decode(ByteBuffer.wrap(stream, i, 1), frames::add);
        }
        assertThat(decoder.isBetweenFrames()).isTrue();
    }

    @Test
    void takesALargestPayloadAndNoLargerOne() {
        decoder.decode(new Frame(FrameType.DATA, 1, 1, new byte[Protocol.PAYLOAD_BYTES_MAX]).encode(), frames::add);
        assertThat(frames.getFirst().payload()).hasSize(Protocol.PAYLOAD_BYTES_MAX);

        assertBreaks(header(Protocol.PAYLOAD_BYTES_MAX + 1, 4, 0, 0, 1), "announces 65537 bytes; the bound is 65536");
    }

    @ParameterizedTest
    @ValueSource(ints = {65_537, 1 << 24, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void refusesAHostileLengthBeforeItAllocates(int length) {
        assertBreaks(header(length, 4, 0, 0, 1), Integer.toUnsignedString(length));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 14, 127, 128, 255})
    void refusesATypeThatDoesNotExist(int type) {
        assertBreaks(header(0, type, 0, 0, 1), "frame type " + type + " does not exist");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 128, 255})
    void refusesFlagsThatAreNotDefined(int flags) {
        assertBreaks(header(0, 4, flags, 0, 1), "frame flags " + flags);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void refusesAChannelAboveItsRange(int channel) {
        assertBreaks(header(0, 4, 0, 0, channel), "channel " + Integer.toUnsignedString(channel));
    }

    @Test
    void handsOverAMillionFramesWithoutBytes() {
        ByteBuffer tiny = ByteBuffer.allocate(Protocol.HEADER_BYTES * 10_000);
        while (tiny.hasRemaining()) {
            Frame.putHeader(tiny, FrameType.END, 1, 1, 0);
        }
        int[] count = {0};
        for (int i = 0; i < 100; i++) {
            decoder.decode(tiny.rewind(), _ -> count[0]++);
        }
        assertThat(count[0]).isEqualTo(1_000_000);
    }

    @Test
    void refusesToMakeAFrameThatCouldNotBeRead() {
        assertThatThrownBy(() -> new Frame(FrameType.DATA, 1, 1, new byte[Protocol.PAYLOAD_BYTES_MAX + 1]))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("65537 bytes is longer than the bound of 65536");
        assertThatThrownBy(() -> Frame.of(FrameType.DATA, 1, -1))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("out of range");
        assertThatThrownBy(() -> Frame.of(FrameType.DATA, 0x10000, 1))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("out of range");
    }

    private void assertBreaks(ByteBuffer bytes, String words) {
        assertThatThrownBy(() -> decoder.decode(bytes, frames::add))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining(words);
        assertThat(frames.stream().filter(frame -> frame.payload().length == 0)).isEmpty();
    }

    private static void assertSame(Frame actual, Frame expected) {
        assertThat(actual.type()).isEqualTo(expected.type());
        assertThat(actual.stream()).isEqualTo(expected.stream());
        assertThat(actual.channel()).isEqualTo(expected.channel());
        assertThat(actual.payload()).isEqualTo(expected.payload());
    }

    private static ByteBuffer header(int length, int type, int flags, int stream, int channel) {
        return ByteBuffer.allocate(Protocol.HEADER_BYTES)
                .putInt(length)
                .put((byte) type)
                .put((byte) flags)
                .putShort((short) stream)
                .putInt(channel)
                .flip();
    }

    private static byte[] join(Frame... parts) {
        ByteBuffer joined = ByteBuffer.allocate(Arrays.stream(parts)
                .mapToInt(part -> Protocol.HEADER_BYTES + part.payload().length)
                .sum());
        for (Frame part : parts) {
            joined.put(part.encode());
        }
        return joined.array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
