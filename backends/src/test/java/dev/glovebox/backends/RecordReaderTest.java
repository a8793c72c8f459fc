package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class RecordReaderTest {
    private static final int BOUND = 1000;

    private final List<Fields> records = new ArrayList<>();
    private final RecordReader reader = new RecordReader(BOUND);

    @Test
    void putsRecordsTogetherThatAreCutAtAnyByte() {
        byte[] stream = join(record("/a"), ScriptedAgent.record(Fields.NONE), record("/b"));
        for (int cut = 0; cut <= stream.length; cut++) {
            List<Fields> got = new ArrayList<>();
            RecordReader cutReader = new RecordReader(BOUND);
            cutReader.read(Arrays.copyOf(stream, cut), got::add);
            cutReader.read(Arrays.copyOfRange(stream, cut, stream.length), got::add);
            assertThat(got).hasSize(3);
            assertThat(got.getFirst().text(Tag.PATH)).contains("/a");
            assertThat(got.get(1)).isEqualTo(Fields.NONE);
            assertThat(got.getLast().text(Tag.PATH)).contains("/b");
        }
    }

    @Test
    void putsARecordTogetherThatComesByteByByte() {
        for (byte part : record("/a/long/path")) {
            assertThat(records).isEmpty();
            reader.read(new byte[] {part}, records::add);
        }
        assertThat(records).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {BOUND + 1, 16 * 1024 * 1024, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void refusesARecordAboveItsBoundBeforeItAllocates(int length) {
        assertThatThrownBy(() -> reader.read(length(length), records::add))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("a record announces " + Integer.toUnsignedString(length) + " bytes; the bound is " + BOUND);
    }

    @Test
    void neverTakesMoreThanTheProtocolAllows() {
        RecordReader generous = new RecordReader(Integer.MAX_VALUE);
        assertThatThrownBy(() -> generous.read(length(Protocol.RECORD_BYTES_MAX + 1), records::add))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void allocatesAsBytesArriveAndNotAsTheyAreAnnounced() {
        List<RecordReader> readers = new ArrayList<>();
        // Ten thousand announcements of 16 MiB are 160 GiB.
        for (int i = 0; i < 10_000; i++) {
            RecordReader announced = new RecordReader(Protocol.RECORD_BYTES_MAX);
            announced.read(length(Protocol.RECORD_BYTES_MAX), records::add);
            announced.read(new byte[10], records::add);
            readers.add(announced);
        }
        assertThat(readers).hasSize(10_000);
        assertThat(records).isEmpty();
    }

    @Test
    void refusesARecordThatIsNoFields() {
        byte[] bytes = {0, 0, 0, 3, 1, 2, 3};
        assertThatThrownBy(() -> reader.read(bytes, records::add))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("cut after 3 bytes");
    }

    @Test
    void fuzzGivesRecordsOrAProtocolExceptionAndNothingElse() {
        Random random = new Random(0x7ec);
        int broken = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] stream = join(record("/a"), record("/b"));
            stream[random.nextInt(stream.length)] ^= (byte) (1 << random.nextInt(8));
            RecordReader fuzzed = new RecordReader(BOUND);
            try {
                int cut = random.nextInt(stream.length);
                fuzzed.read(Arrays.copyOf(stream, cut), records::add);
                fuzzed.read(Arrays.copyOfRange(stream, cut, stream.length), records::add);
            } catch (ProtocolException _) {
                broken++;
            }
        }
        assertThat(broken).isBetween(500, 4_500);
    }

    private static byte[] record(String path) {
        return ScriptedAgent.record(Fields.builder().text(Tag.PATH, path).build());
    }

    private static byte[] length(int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    private static byte[] join(byte[]... parts) {
        ByteBuffer joined =
                ByteBuffer.allocate(Arrays.stream(parts).mapToInt(p -> p.length).sum());
        for (byte[] part : parts) {
            joined.put(part);
        }
        return joined.array();
    }
}
