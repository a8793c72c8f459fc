package dev.glovebox.server.e2b.envd;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/// A message from a client, in the JSON mapping of protocol buffers: a field that is null, or of its default value, is
/// absent; 64-bit numbers may be texts; bytes are base64 of either alphabet; fields are named in camel case or as in
/// the
/// schema; those that nobody knows are passed over. What does not fit is refused by the name of the field, never by
/// what stood in it. Immutable.
final class ConnectMessage {
    /// The messages nest four deep.
    private static final int DEPTH_MAX = 16;

    private static final int NAME_CHARS_MAX = 8192;
    private static final int NUMBER_CHARS_MAX = 32;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(NAME_CHARS_MAX)
                    .maxNumberLength(NUMBER_CHARS_MAX)
                    .build())
            .build();
    private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

    /// Values are texts, numbers, booleans, lists of values, and messages.
    private final Map<String, Object> fields;

    private ConnectMessage(Map<String, Object> fields) {
        this.fields = fields;
    }

    /// Reads one message and nothing after it.
    static ConnectMessage parse(byte[] json) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw ConnectFailure.invalid("the message must be a JSON object");
            }
            ConnectMessage message = readObject(parser);
            if (parser.nextToken() != null) {
                throw ConnectFailure.invalid("something follows the end of the message");
            }
            return message;
        } catch (JacksonException e) {
            throw ConnectFailure.invalid("the message is not valid JSON, or nests deeper than " + DEPTH_MAX);
        }
    }

    private static ConnectMessage readObject(JsonParser parser) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            Object value = readValue(parser);
            if (value != null) {
                fields.put(name, value);
            }
        }
        return new ConnectMessage(fields);
    }

    private static @Nullable Object readValue(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> readObject(parser);
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    Object element = readValue(parser);
                    if (element == null) {
                        throw ConnectFailure.invalid("a list cannot hold null");
                    }
                    list.add(element);
                }
                yield list;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private @Nullable Object value(String name) {
        Object value = fields.get(name);
        return value != null ? value : fields.get(asInSchema(name));
    }

    /// `watcherId` is `watcher_id` in the schema.
    private static String asInSchema(String name) {
        return CAPITAL.matcher(name)
                .replaceAll(
                        capital -> "_" + Character.toLowerCase(capital.group().charAt(0)));
    }

    boolean has(String name) {
        return value(name) != null;
    }

    /// A text; empty if absent.
    String text(String name) {
        return optionalText(name).orElse("");
    }

    Optional<String> optionalText(String name) {
        return switch (value(name)) {
            case null -> Optional.empty();
            case String text -> Optional.of(text);
            default -> throw wrong(name, "a text");
        };
    }

    /// The name of an enumeration's value, or its number as text; empty if absent.
    String word(String name) {
        return switch (value(name)) {
            case null -> "";
            case String text -> text;
            case Long number -> Long.toString(number);
            default -> throw wrong(name, "one of an enumeration");
        };
    }

    boolean flag(String name) {
        return flag(name, false);
    }

    boolean flag(String name, boolean whenAbsent) {
        return switch (value(name)) {
            case null -> whenAbsent;
            case Boolean flag -> flag;
            default -> throw wrong(name, "true or false");
        };
    }

    OptionalLong number(String name) {
        return switch (value(name)) {
            case null -> OptionalLong.empty();
            case Long number -> OptionalLong.of(number);
            case Double number
            when number == Math.rint(number) && Math.abs(number) < 1L << 53 -> OptionalLong.of(number.longValue());
            case String text -> OptionalLong.of(parseNumber(name, text));
            default -> throw wrong(name, "a whole number");
        };
    }

    private static long parseNumber(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrong(name, "a whole number");
        }
    }

    Optional<byte[]> bytes(String name) {
        return optionalText(name).map(text -> {
            try {
                return Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
            } catch (IllegalArgumentException e) {
                throw wrong(name, "base64");
            }
        });
    }

    Optional<ConnectMessage> message(String name) {
        return switch (value(name)) {
            case null -> Optional.empty();
            case ConnectMessage message -> Optional.of(message);
            default -> throw wrong(name, "an object");
        };
    }

    /// A field without which the call makes no sense.
    ConnectMessage requiredMessage(String name) {
        return message(name).orElseThrow(() -> ConnectFailure.invalid("the field '" + name + "' is missing"));
    }

    List<String> texts(String name) {
        return switch (value(name)) {
            case null -> List.of();
            case List<?> list ->
                list.stream().map(element -> text(name, element)).toList();
            default -> throw wrong(name, "a list of texts");
        };
    }

    Map<String, String> textMap(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        message(name).ifPresent(message -> message.fields.forEach((key, value) -> map.put(key, text(name, value))));
        return map;
    }

    private static String text(String name, Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw wrong(name, "made of texts");
    }

    private static ConnectFailure wrong(String name, String what) {
        return ConnectFailure.invalid("the field '" + name + "' must be " + what);
    }
}
