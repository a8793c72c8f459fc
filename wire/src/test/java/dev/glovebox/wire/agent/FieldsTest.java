package dev.glovebox.wire.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class FieldsTest {
    private static final int FIELDS_MAX = 65_536;

    @Test
    void encodesAsThePageSays() {
        Fields fields =
                Fields.builder().number(Tag.VERSION, 1).text(Tag.AGENT, "ü").build();

        assertThat(HexFormat.of().formatHex(fields.encode()))
                .isEqualTo("0001" + "00000008" + "0000000000000001" + "0003" + "00000002" + "c3bc");
        assertThat(fields).isEqualTo(Fields.decode(fields.encode())).hasSameHashCodeAs(Fields.decode(fields.encode()));
        assertThat(fields).hasToString("[VERSION, AGENT]");
    }

    @Test
    void givesBackWhateverItWasGiven() {
        Random random = new Random(7);
        Tag[] tags = Tag.values();
        for (int round = 0; round < 300; round++) {
            Fields.Builder builder = Fields.builder();
            for (int count = random.nextInt(8); count > 0; count--) {
                Tag tag = tags[random.nextInt(tags.length)];
                switch (random.nextInt(4)) {
                    case 0 -> builder.number(tag, random.nextLong() >>> random.nextInt(1, 64));
                    case 1 -> builder.text(tag, text(random));
                    case 2 -> builder.texts(tag, List.of(text(random), text(random)));
                    default -> builder.flag(tag, random.nextBoolean());
                }
            }
            Fields fields = builder.build();
            Fields again = Fields.decode(fields.encode());
            assertThat(again).isEqualTo(fields);
            for (Tag tag : tags) {
                assertThat(again.has(tag)).isEqualTo(fields.has(tag));
                assertThat(again.bytes(tag)).isEqualTo(fields.bytes(tag));
            }
        }
    }

    @Test
    void refusesAListThatIsCutAtAnyByteInsideAField() {
        byte[] bytes = Fields.builder()
                .text(Tag.PATH, "/a")
                .number(Tag.OFFSET, 5)
                .build()
                .encode();
        int secondField = 6 + 2;
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            if (length == 0 || length == secondField) {
                assertThat(Fields.decode(cut).has(Tag.OFFSET)).isFalse();
            } else {
                assertThatThrownBy(() -> Fields.decode(cut))
                        .isInstanceOf(ProtocolException.class)
                        .hasMessageContaining("field");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16 * 1024 * 1024, 5})
    void refusesALengthBeyondTheListBeforeItAllocates(int length) {
        byte[] bytes = ByteBuffer.allocate(10)
                .putShort((short) Tag.CODE.code())
                .putInt(length)
                .array();
        assertThatThrownBy(() -> Fields.decode(bytes))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field 27 announces " + Integer.toUnsignedString(length) + " bytes where 4 remain");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 119, 1000, 0xffff})
    void passesOverTagsThatItDoesNotKnow(int code) {
        byte[] known = Fields.builder().text(Tag.PATH, "/a").build().encode();
        ByteBuffer bytes = ByteBuffer.allocate(known.length * 2 + 9);
        bytes.put(known)
                .putShort((short) code)
                .putInt(3)
                .put(new byte[] {1, 2, 3})
                .put(known);

        Fields fields = Fields.decode(bytes.array());

        assertThat(fields.texts(Tag.PATH)).containsExactly("/a", "/a");
        assertThat(fields.encode()).hasSize(known.length * 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"c0af", "ff", "eda080", "c3", "f4908080"})
    void refusesTextThatIsNotUtf8(String hex) {
        Fields fields = Fields.builder()
                .bytes(Tag.MESSAGE, HexFormat.of().parseHex(hex))
                .build();
        assertThatThrownBy(() -> fields.text(Tag.MESSAGE))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field MESSAGE is not UTF-8");
        assertThatThrownBy(() -> fields.texts(Tag.MESSAGE)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void refusesNumbersOutOfRangeOnBothSides() {
        assertThatThrownBy(() -> Fields.builder().number(Tag.LENGTH, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be negative");
        Fields negative = Fields.builder().bytes(Tag.LENGTH, filled(8, 0xff)).build();
        assertThatThrownBy(() -> negative.number(Tag.LENGTH))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field LENGTH is out of range");
        Fields largest = Fields.builder().number(Tag.LENGTH, Long.MAX_VALUE).build();
        assertThat(Fields.decode(largest.encode()).requiredNumber(Tag.LENGTH)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 7, 9, 16})
    void refusesANumberThatIsNotEightBytes(int length) {
        Fields fields = Fields.builder().bytes(Tag.LENGTH, new byte[length]).build();
        assertThatThrownBy(() -> fields.flag(Tag.LENGTH))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field LENGTH is a number and must be 8 bytes, not " + length);
    }

    @Test
    void takesTheFirstOfATagThatMayNotRepeat() {
        Fields fields = Fields.builder()
                .text(Tag.PATH, "/first")
                .text(Tag.PATH, "/second")
                .number(Tag.LENGTH, 1)
                .number(Tag.LENGTH, 2)
                .bytes(Tag.TOKEN, filled(16, 1))
                .bytes(Tag.TOKEN, filled(16, 2))
                .build();
        assertThat(fields.text(Tag.PATH)).contains("/first");
        assertThat(fields.number(Tag.LENGTH)).contains(1L);
        assertThat(fields.bytes(Tag.TOKEN)).isEqualTo(filled(16, 1));
    }

    @Test
    void joinsTheFieldsOfCode() {
        Fields fields = Fields.builder()
                .text(Tag.CODE, "print(")
                .text(Tag.FILE_NAME, "main.py")
                .text(Tag.CODE, "1)")
                .build();
        assertThat(new String(fields.bytes(Tag.CODE), StandardCharsets.UTF_8)).isEqualTo("print(1)");
        assertThat(fields.bytes(Tag.ENTROPY)).isEmpty();
    }

    @Test
    void saysWhichRequiredFieldIsMissing() {
        assertThatThrownBy(() -> Fields.NONE.requiredText(Tag.PATH))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field PATH is missing");
        assertThatThrownBy(() -> Fields.NONE.requiredNumber(Tag.STATUS))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field STATUS is missing");
        assertThat(Fields.NONE.number(Tag.STATUS, 9)).isEqualTo(9);
        assertThat(Fields.NONE.text(Tag.PATH)).isEmpty();
        assertThat(Fields.NONE.encode()).isEmpty();
    }

    @Test
    void refusesMoreFieldsThanAnybodyNeeds() {
        byte[] most = new byte[FIELDS_MAX * 6];
        byte[] tooMany = new byte[(FIELDS_MAX + 1) * 6];

        assertThat(Fields.decode(most)).isEqualTo(Fields.NONE);
        assertThatThrownBy(() -> Fields.decode(tooMany))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("a list has more than 65536 fields");
    }

    @Test
    void splitsIntoListsThatTogetherSayTheSame() {
        byte[] code = new byte[1000];
        new Random(3).nextBytes(code);
        Fields fields = Fields.builder()
                .texts(Tag.ARGUMENT, List.of("a", "b".repeat(50), ""))
                .bytes(Tag.CODE, code)
                .text(Tag.FILE_NAME, "main.wasm")
                .build();
        for (int bound = 56; bound < 1200; bound += 7) {
            Fields.Builder joined = Fields.builder();
            for (Fields part : fields.split(bound)) {
                assertThat(part.encode().length).isBetween(1, bound);
                joined.texts(Tag.ARGUMENT, part.texts(Tag.ARGUMENT))
                        .bytes(Tag.CODE, part.bytes(Tag.CODE))
                        .texts(Tag.FILE_NAME, part.texts(Tag.FILE_NAME));
            }
            Fields all = joined.build();
            assertThat(all.bytes(Tag.CODE)).isEqualTo(code);
            assertThat(all.texts(Tag.ARGUMENT)).isEqualTo(fields.texts(Tag.ARGUMENT));
            assertThat(all.texts(Tag.FILE_NAME)).containsExactly("main.wasm");
        }
        assertThat(Fields.NONE.split(10)).containsExactly(Fields.NONE);
    }

    @Test
    void refusesToCutAFieldThatWouldNotBeJoinedAgain() {
        Fields fields = Fields.builder().text(Tag.ARGUMENT, "a".repeat(100)).build();
        assertThatThrownBy(() -> fields.split(105))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("field ARGUMENT is longer than 105");
        assertThat(fields.split(106)).hasSize(1);
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static String text(Random random) {
        return random.ints(random.nextInt(20), 0, 0x10ffff)
                .filter(c -> c < 0xd800 || c > 0xdfff)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
