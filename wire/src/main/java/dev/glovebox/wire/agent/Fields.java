package dev.glovebox.wire.agent;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The content of a structured frame or record: a list of fields, each a tag (u16), a length (u32) and that many bytes.
/// Numbers are eight bytes, big-endian; text is UTF-8. Unknown tags are passed over, so that fields can be added.
/// Immutable.
public final class Fields {
    /// The field list that says nothing.
    public static final Fields NONE = new Fields(List.of());

    private static final int FIELD_HEADER_BYTES = 6;
    /// An empty field costs its reader eight times what it costs its sender; with this bound it does not matter.
    private static final int FIELDS_MAX = 65_536;

    private record Field(Tag tag, byte[] value) {}

    private final List<Field> fields;

    private Fields(List<Field> fields) {
        this.fields = fields;
    }

    public static Builder builder() {
        return new Builder();
    }

    /// Reads a list of fields.
    ///
    /// @throws ProtocolException if the bytes are not one
    public static Fields decode(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        List<Field> fields = new ArrayList<>();
        for (int count = 0; buffer.hasRemaining(); count++) {
            if (count == FIELDS_MAX) {
                throw new ProtocolException("a list has more than " + FIELDS_MAX + " fields");
            }
            if (buffer.remaining() < FIELD_HEADER_BYTES) {
                throw new ProtocolException("a field's header is cut after " + buffer.remaining() + " bytes");
            }
            int code = buffer.getShort() & 0xffff;
            int length = buffer.getInt();
            if (length < 0 || length > buffer.remaining()) {
                throw new ProtocolException("field " + code + " announces " + Integer.toUnsignedString(length)
                        + " bytes where " + buffer.remaining() + " remain");
            }
            byte[] value = new byte[length];
            buffer.get(value);
            Tag tag = Tag.ofCode(code);
            if (tag != null) {
                fields.add(new Field(tag, value));
            }
        }
        return new Fields(fields);
    }

    public byte[] encode() {
        int size = 0;
        for (Field field : fields) {
            size += FIELD_HEADER_BYTES + field.value.length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(size);
        for (Field field : fields) {
            buffer.putShort((short) field.tag.code()).putInt(field.value.length).put(field.value);
        }
        return buffer.array();
    }

    /// The same fields as several lists, none of which encodes to more than `bytesMax`. CODE is cut where it must be,
    /// because it is joined again; no other field is as long.
    ///
    /// @throws IllegalArgumentException if another field is as long
    public List<Fields> split(int bytesMax) {
        List<Fields> lists = new ArrayList<>();
        List<Field> list = new ArrayList<>();
        int size = 0;
        for (Field field : fields) {
            int offset = 0;
            do {
                int rest = field.value.length - offset;
                int room = bytesMax - size - FIELD_HEADER_BYTES;
                if (!list.isEmpty() && room < (field.tag == Tag.CODE ? Math.min(rest, 1) : rest)) {
                    lists.add(new Fields(List.copyOf(list)));
                    list.clear();
                    size = 0;
                    room = bytesMax - FIELD_HEADER_BYTES;
                }
                int length = Math.min(rest, room);
                if (length < rest && field.tag != Tag.CODE) {
                    throw new IllegalArgumentException("field " + field.tag + " is longer than " + bytesMax);
                }
                list.add(new Field(field.tag, Arrays.copyOfRange(field.value, offset, offset + length)));
                size += FIELD_HEADER_BYTES + length;
                offset += length;
            } while (offset < field.value.length);
        }
        lists.add(new Fields(List.copyOf(list)));
        return lists;
    }

    public boolean has(Tag tag) {
        return fields.stream().anyMatch(field -> field.tag == tag);
    }

    /// The first field with this tag, as text.
    ///
    /// @throws ProtocolException if it is not UTF-8
    public Optional<String> text(Tag tag) {
        return first(tag).map(value -> asText(tag, value));
    }

    /// As [#text(Tag)], for a field that must be there.
    public String requiredText(Tag tag) {
        return text(tag).orElseThrow(() -> missing(tag));
    }

    /// All fields with this tag, as text, in order.
    public List<String> texts(Tag tag) {
        return fields.stream()
                .filter(field -> field.tag == tag)
                .map(field -> asText(tag, field.value))
                .toList();
    }

    /// All fields with this tag as they came, in order.
    public List<byte[]> all(Tag tag) {
        return fields.stream()
                .filter(field -> field.tag == tag)
                .map(field -> field.value.clone())
                .toList();
    }

    /// The first field with this tag as a number.
    ///
    /// @throws ProtocolException if it is not eight bytes long or negative
    public Optional<Long> number(Tag tag) {
        return first(tag).map(value -> asNumber(tag, value));
    }

    /// As [#number(Tag)], with a value for a field that is not there.
    public long number(Tag tag, long otherwise) {
        return number(tag).orElse(otherwise);
    }

    /// As [#number(Tag)], for a field that must be there.
    public long requiredNumber(Tag tag) {
        return number(tag).orElseThrow(() -> missing(tag));
    }

    public boolean flag(Tag tag) {
        return number(tag, 0) != 0;
    }

    /// The bytes of this tag, none if it is not there: of CODE all fields joined, of any other tag the first.
    public byte[] bytes(Tag tag) {
        List<byte[]> parts = fields.stream()
                .filter(field -> field.tag == tag)
                .limit(tag == Tag.CODE ? FIELDS_MAX : 1)
                .map(Field::value)
                .toList();
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        ByteBuffer joined =
                ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
        parts.forEach(joined::put);
        return joined.array();
    }

    private Optional<byte[]> first(Tag tag) {
        return fields.stream()
                .filter(field -> field.tag == tag)
                .map(Field::value)
                .findFirst();
    }

    private static long asNumber(Tag tag, byte[] value) {
        if (value.length != Long.BYTES) {
            throw new ProtocolException("field " + tag + " is a number and must be 8 bytes, not " + value.length);
        }
        long number = ByteBuffer.wrap(value).getLong();
        if (number < 0) {
            throw new ProtocolException("field " + tag + " is out of range");
        }
        return number;
    }

    private static String asText(Tag tag, byte[] value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new ProtocolException("field " + tag + " is not UTF-8");
        }
    }

    private static ProtocolException missing(Tag tag) {
        return new ProtocolException("field " + tag + " is missing");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fields that && Arrays.equals(encode(), that.encode());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encode());
    }

    /// Only the tags: values may be secret or hostile.
    @Override
    public String toString() {
        return fields.stream().map(Field::tag).toList().toString();
    }

    /// Builds a list of fields, in the order of the calls. Not thread-safe.
    public static final class Builder {
        private final List<Field> fields = new ArrayList<>();

        private Builder() {}

        public Builder text(Tag tag, String value) {
            return bytes(tag, value.getBytes(StandardCharsets.UTF_8));
        }

        public Builder texts(Tag tag, Iterable<String> values) {
            values.forEach(value -> text(tag, value));
            return this;
        }

        /// A number from 0 to 2^63-1.
        public Builder number(Tag tag, long value) {
            if (value < 0) {
                throw new IllegalArgumentException("field " + tag + " cannot be negative: " + value);
            }
            return bytes(tag, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        }

        public Builder flag(Tag tag, boolean value) {
            return number(tag, value ? 1 : 0);
        }

        public Builder bytes(Tag tag, byte[] value) {
            fields.add(new Field(tag, value));
            return this;
        }

        public Fields build() {
            return new Fields(List.copyOf(fields));
        }
    }
}
