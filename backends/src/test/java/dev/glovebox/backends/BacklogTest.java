package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.agent.Protocol;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class BacklogTest {
    private final Backlog backlog = new Backlog();

    @Test
    void keepsTheOrderAcrossStreamsAndJoinsNeighbours() {
        add(1, "a");
        add(1, "b");
        add(2, "c");
        add(1, "d");

        assertPart(1, "ab");
        assertPart(2, "c");
        assertPart(1, "d");
        assertThat(backlog.isEmpty()).isTrue();
    }

    @Test
    void joinsNoMoreThanOnePayload() {
        int part = Backlog.WHOLE_BYTES_MIN / 2;
        for (int i = 0; i < Protocol.PAYLOAD_BYTES_MAX / part; i++) {
            backlog.add(1, new byte[part]);
        }
        backlog.add(1, new byte[1]);

        assertThat(backlog.remove().bytes()).hasSize(Protocol.PAYLOAD_BYTES_MAX);
        assertThat(backlog.remove().bytes()).hasSize(1);
    }

    @Test
    void keepsLargePartsAsTheyAre() {
        byte[] large = new byte[Backlog.WHOLE_BYTES_MIN];
        add(1, "a");
        backlog.add(1, large);
        add(1, "b");
        backlog.add(2, large.clone());
        backlog.add(2, large);
        assertThat(backlog.capacityBytes()).isGreaterThan(3 * large.length);

        assertPart(1, "a");
        Backlog.Part part = backlog.remove();
        assertThat(part.bytes()).isSameAs(large);
        assertThat(part.stream()).isEqualTo(1);
        assertPart(1, "b");
        assertThat(backlog.remove().stream()).isEqualTo(2);
        assertThat(backlog.remove().bytes()).isSameAs(large);
        assertThat(backlog.isEmpty()).isTrue();
        assertThat(backlog.capacityBytes()).isLessThan(8 * 1024);
    }

    @Test
    void givesBackWhateverItWasGiven() {
        Random random = new Random(11);
        Deque<Byte> expected = new ArrayDeque<>();
        for (int round = 0; round < 3_000; round++) {
            if (random.nextInt(10) < 5) {
                byte[] bytes = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 9000 : 30)];
                random.nextBytes(bytes);
                int stream = random.nextInt(Protocol.STREAMS_MAX);
                backlog.add(stream, bytes);
                for (byte b : bytes) {
                    expected.add((byte) (b ^ stream));
                }
            } else if (!backlog.isEmpty()) {
                Backlog.Part part = backlog.remove();
                for (byte b : part.bytes()) {
                    assertThat((byte) (b ^ part.stream())).isEqualTo(expected.remove());
                }
            }
            assertThat(backlog.isEmpty()).isEqualTo(expected.isEmpty());
        }
    }

    @Test
    void holdsAFloodOfSingleBytesInAFewTimesTheirSize() {
        int count = Protocol.INITIAL_CREDIT_BYTES;
        for (int i = 0; i < count; i++) {
            backlog.add(1, new byte[1]);
            backlog.add(2, new byte[1]);
        }
        assertThat(backlog.capacityBytes()).isLessThan(2 * 2 * 6 * count);

        int bytes = 0;
        while (!backlog.isEmpty()) {
            bytes += backlog.remove().bytes().length;
        }
        assertThat(bytes).isEqualTo(2 * count);
        assertThat(backlog.capacityBytes()).as("it keeps nothing of a flood").isZero();
    }

    @Test
    void doesNotGrowWhileItIsTakenFrom() {
        for (int i = 0; i < 100_000; i++) {
            backlog.add(i % 2, new byte[100]);
            backlog.add(2, new byte[100]);
            backlog.remove();
            if (i > 5) {
                backlog.remove();
            }
        }
        assertThat(backlog.capacityBytes()).isLessThan(8 * 1024);
    }

    private void add(int stream, String text) {
        backlog.add(stream, text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    private void assertPart(int stream, String text) {
        Backlog.Part part = backlog.remove();
        assertThat(part.stream()).isEqualTo(stream);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(part.bytes());
        assertThat(bytes.toString(java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo(text);
    }
}
