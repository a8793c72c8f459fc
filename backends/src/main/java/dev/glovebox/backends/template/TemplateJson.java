package dev.glovebox.backends.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
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
import tools.jackson.core.json.JsonFactory;

/// One JSON object and what it holds: texts, whole numbers, flags, lists and objects. Recipes, the notes beside
/// an image and the documents of OCI images are read with it.
final class TemplateJson {
    private static final int DEPTH_MAX = 32;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    private final Map<String, @Nullable Object> values;
    private final String what;

    private TemplateJson(Map<String, @Nullable Object> values, String what) {
        this.values = values;
        this.what = what;
    }

    /// Reads an object.
    ///
    /// @param what names the document in errors
    /// @throws IllegalArgumentException if it is none, with the reason in words
    static TemplateJson read(byte[] text, String what) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException(what + " is no JSON object");
            }
            Map<String, @Nullable Object> values = object(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException(what + " goes on after its JSON object");
            }
            return new TemplateJson(values, what);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(what + " is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            values.put(name, value(parser));
        }
        return values;
    }

    private static @Nullable Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
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

    Iterable<String> names() {
        return values.keySet();
    }

    @Nullable
    String text(String name) {
        return switch (values.get(name)) {
            case null -> null;
            case String text -> text;
            default -> throw wrong(name, "a text");
        };
    }

    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    String required(String name) {
        String text = text(name);
        if (text == null) {
            throw new IllegalArgumentException(what + " needs \"" + name + "\"");
        }
        return text;
    }

    long number(String name) {
        return switch (values.get(name)) {
            case null -> 0;
            case Long number -> number;
            default -> throw wrong(name, "a whole number");
        };
    }

    boolean flag(String name) {
        return switch (values.get(name)) {
            case null -> false;
            case Boolean flag -> flag;
            default -> throw wrong(name, "true or false");
        };
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : list(name)) {
            if (!(item instanceof String text)) {
                throw wrong(name, "a list of texts");
            }
            texts.add(text);
        }
        return texts;
    }

    List<TemplateJson> objects(String name) {
        List<TemplateJson> objects = new ArrayList<>();
        for (Object item : list(name)) {
            objects.add(nested(item, name));
        }
        return objects;
    }

    /// An object inside this one; empty if it is absent.
    TemplateJson object(String name) {
        Object value = values.get(name);
        return value == null ? new TemplateJson(Map.of(), what) : nested(value, name);
    }

    Map<String, String> textMap(String name) {
        TemplateJson object = object(name);
        Map<String, String> texts = new LinkedHashMap<>();
        object.values.keySet().forEach(key -> texts.put(key, object.required(key)));
        return texts;
    }

    private List<?> list(String name) {
        return switch (values.get(name)) {
            case null -> List.of();
            case List<?> list -> list;
            default -> throw wrong(name, "a list");
        };
    }

    private TemplateJson nested(@Nullable Object value, String name) {
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong(name, "an object");
        }
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, content) -> copy.put(String.valueOf(key), content));
        return new TemplateJson(copy, what);
    }

    private IllegalArgumentException wrong(String name, String expected) {
        return new IllegalArgumentException(what + ": \"" + name + "\" must be " + expected);
    }

    /// Writes an object of texts, numbers, flags, lists and maps; what is null is left out.
    static byte[] write(Map<String, ? extends @Nullable Object> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
            write(json, values);
        }
        return (out.toString(StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator json, @Nullable Object value) {
        switch (value) {
            case null -> json.writeNull();
            case String text -> json.writeString(text);
            case Long number -> json.writeNumber(number);
            case Boolean flag -> json.writeBoolean(flag);
            case List<?> list -> {
                json.writeStartArray();
                list.forEach(item -> write(json, item));
                json.writeEndArray();
            }
            case Map<?, ?> map -> {
                json.writeStartObject();
                map.forEach((name, content) -> {
                    if (content != null) {
                        json.writeName(String.valueOf(name));
                        write(json, content);
                    }
                });
                json.writeEndObject();
            }
            default -> throw new IllegalStateException("no JSON for " + value.getClass());
        }
    }
}
