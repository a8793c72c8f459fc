package dev.glovebox.sdk;

import dev.glovebox.sdk.RecordShape.Component;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/// Records of `wire` as JSON and back: strings, booleans, integers, lists, string-keyed maps and records, and
/// `Object` where anything may stand, which is read as lists, maps, strings, numbers and booleans. Fractions are
/// written, and read only as an `Object`. A component that is `@Nullable` may be absent and is left out when null. It
/// stands on
/// Jackson's streaming parser without its data binding, which costs a command line 0.1 s at its start (ADR
/// 0006). Thread-safe.
public final class RecordJson {
    private RecordJson() {}

    /// What to do with a field that the record does not have.
    public enum UnknownFields {
        /// For requests: a typing error must not be passed over.
        REFUSED,
        /// For answers: a newer server may say more.
        PASSED_OVER
    }

    /// Records nest 4 deep; a hostile text must not nest deeper than a stack can bear.
    private static final int DEPTH_MAX = 16;
    /// Larger than any body that either side accepts, so that the body's own bound is the one that speaks.
    private static final int STRING_CHARS_MAX = 1 << 28;
    /// Names are field names, variables or paths: a path has at most 4096 bytes.
    private static final int NAME_CHARS_MAX = 8192;

    private static final int NUMBER_CHARS_MAX = 32;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(STRING_CHARS_MAX)
                    .maxNameLength(NAME_CHARS_MAX)
                    .maxNumberLength(NUMBER_CHARS_MAX)
                    .build())
            .build();

    /// Reads one record and nothing after it.
    ///
    /// @throws MalformedJsonException if the text is not JSON or not this record
    public static <T extends Record> T read(Class<T> type, InputStream text, UnknownFields unknown) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            return readAll(type, parser, unknown);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    /// As [#read(Class, InputStream, UnknownFields)], from bytes in UTF-8.
    public static <T extends Record> T read(Class<T> type, byte[] text, UnknownFields unknown) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            return readAll(type, parser, unknown);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    /// What a component of a record is called in JSON.
    public static String nameOf(RecordComponent component) {
        return RecordShape.nameOf(component);
    }

    /// The record in UTF-8, on one line.
    public static byte[] write(Record value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes, JsonEncoding.UTF8)) {
            writeRecord(generator, value);
        }
        return bytes.toByteArray();
    }

    /// A tree of maps, lists, strings, numbers, booleans and records in UTF-8.
    public static byte[] write(Map<String, ?> tree) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes, JsonEncoding.UTF8)) {
            writeValue(generator, tree);
        }
        return bytes.toByteArray();
    }

    /// A list of what [#write(Map)] takes, in UTF-8.
    public static byte[] write(List<?> list) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes, JsonEncoding.UTF8)) {
            writeValue(generator, list);
        }
        return bytes.toByteArray();
    }

    private static <T extends Record> T readAll(Class<T> type, JsonParser parser, UnknownFields unknown) {
        if (parser.nextToken() == null) {
            throw new MalformedJsonException("a JSON object is expected, and there is nothing");
        }
        T value = type.cast(readRecord(RecordShape.of(type), parser, unknown));
        if (parser.nextToken() != null) {
            throw new MalformedJsonException("something follows the end of the JSON object");
        }
        return value;
    }

    private static Object readRecord(RecordShape shape, JsonParser parser, UnknownFields unknown) {
        expect(parser, JsonToken.START_OBJECT, "an object");
        @Nullable Object[] values = new @Nullable Object[shape.components().size()];
        boolean[] seen = new boolean[values.length];
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            Component component = shape.find(name);
            if (component == null) {
                if (unknown == UnknownFields.REFUSED) {
                    throw new MalformedJsonException(
                            JsonPlace.of(parser) + " is not known here; known are " + String.join(", ", shape.names()));
                }
                parser.nextToken();
                parser.skipChildren();
                continue;
            }
            if (seen[component.index()]) {
                throw new MalformedJsonException(JsonPlace.of(parser) + " is given twice");
            }
            seen[component.index()] = true;
            parser.nextToken();
            values[component.index()] = readValue(component.type(), parser, unknown);
        }
        for (Component component : shape.components()) {
            if (values[component.index()] == null && !component.nullable()) {
                throw new MalformedJsonException(JsonPlace.below(parser, component.name()) + " is missing");
            }
        }
        return shape.create(values);
    }

    /// @return null if null stands there
    private static @Nullable Object readValue(Type type, JsonParser parser, UnknownFields unknown) {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return generic.getRawType() == List.class
                    ? readList(arguments[0], parser, unknown)
                    : readMap(arguments[1], parser, unknown);
        }
        if (type == String.class) {
            expect(parser, JsonToken.VALUE_STRING, words(type));
            return parser.getString();
        }
        if (type == long.class || type == Long.class) {
            expect(parser, JsonToken.VALUE_NUMBER_INT, words(type));
            return parser.getLongValue();
        }
        if (type == int.class || type == Integer.class) {
            expect(parser, JsonToken.VALUE_NUMBER_INT, words(type));
            return parser.getIntValue();
        }
        if (type == boolean.class || type == Boolean.class) {
            if (parser.currentToken() != JsonToken.VALUE_TRUE && parser.currentToken() != JsonToken.VALUE_FALSE) {
                throw wrong(parser, words(type));
            }
            return parser.getBooleanValue();
        }
        if (type == Object.class) {
            return readAnything(parser, unknown);
        }
        return readRecord(RecordShape.of((Class<?>) type), parser, unknown);
    }

    private static @Nullable Object readAnything(JsonParser parser, UnknownFields unknown) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> readMap(Object.class, parser, unknown);
            case START_ARRAY -> readList(Object.class, parser, unknown);
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            default -> readValue(boolean.class, parser, unknown);
        };
    }

    private static List<Object> readList(Type element, JsonParser parser, UnknownFields unknown) {
        expect(parser, JsonToken.START_ARRAY, "a list");
        List<Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            list.add(present(readValue(element, parser, unknown), element, parser));
        }
        return list;
    }

    private static Map<String, Object> readMap(Type value, JsonParser parser, UnknownFields unknown) {
        expect(parser, JsonToken.START_OBJECT, "an object");
        Map<String, Object> map = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            if (map.containsKey(name)) {
                throw new MalformedJsonException(JsonPlace.of(parser) + " is given twice");
            }
            parser.nextToken();
            map.put(name, present(readValue(value, parser, unknown), value, parser));
        }
        return map;
    }

    private static Object present(@Nullable Object value, Type type, JsonParser parser) {
        if (value == null) {
            throw wrong(parser, words(type));
        }
        return value;
    }

    private static void expect(JsonParser parser, JsonToken token, String what) {
        if (parser.currentToken() != token) {
            throw wrong(parser, what);
        }
    }

    /// Something else stands where the parser is.
    private static MalformedJsonException wrong(JsonParser parser, String wanted) {
        return new MalformedJsonException(JsonPlace.of(parser) + " must be " + wanted + ", not "
                + switch (parser.currentToken()) {
                    case START_OBJECT -> "an object";
                    case START_ARRAY -> "a list";
                    case VALUE_STRING -> "a string";
                    case VALUE_NUMBER_INT -> "a number";
                    case VALUE_NUMBER_FLOAT -> "a number with a point or an exponent";
                    case VALUE_TRUE -> "true";
                    case VALUE_FALSE -> "false";
                    default -> "null";
                });
    }

    /// What is wanted where a value of this type is read.
    private static String words(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic.getRawType() == List.class ? "a list" : "an object";
        }
        if (type == String.class) {
            return "a string";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == Object.class) {
            return "a value";
        }
        return type instanceof Class<?> named && Record.class.isAssignableFrom(named) ? "an object" : "a whole number";
    }

    private static void writeRecord(JsonGenerator generator, Record value) {
        RecordShape shape = RecordShape.of(value.getClass());
        generator.writeStartObject();
        for (Component component : shape.components()) {
            Object part = component.of(value);
            if (part != null) {
                generator.writeName(component.name());
                writeValue(generator, part);
            }
        }
        generator.writeEndObject();
    }

    @SuppressWarnings("IfChainToSwitch") // The first pattern switch of a process costs it several milliseconds.
    private static void writeValue(JsonGenerator generator, Object value) {
        if (value instanceof String text) {
            generator.writeString(text);
        } else if (value instanceof Long number) {
            generator.writeNumber(number);
        } else if (value instanceof Integer number) {
            generator.writeNumber(number);
        } else if (value instanceof Boolean bool) {
            generator.writeBoolean(bool);
        } else if (value instanceof Double fraction) {
            generator.writeNumber(fraction);
        } else if (value instanceof Record part) {
            writeRecord(generator, part);
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            list.forEach(element -> writeValue(generator, element));
            generator.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            map.forEach((name, element) -> {
                generator.writeName((String) name);
                writeValue(generator, element);
            });
            generator.writeEndObject();
        } else {
            throw new IllegalArgumentException(value.getClass() + " has no JSON form here");
        }
    }

    /// Jackson's own messages can quote the text; ours must not.
    private static MalformedJsonException malformed(JacksonException e) {
        String place = e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
        String what = e instanceof StreamConstraintsException
                ? "the JSON text nests deeper than " + DEPTH_MAX + " or has a name or number that is too long"
                : "the text is not valid JSON, or a number in it is too large";
        return new MalformedJsonException(what + place);
    }
}
