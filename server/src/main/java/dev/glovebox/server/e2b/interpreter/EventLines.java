package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.MimeBundle;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/// What an execution says, one JSON object a line, all of it ASCII: clients decode each piece that the network hands
/// them
/// for itself, so that nothing else survives. Everything here is guest content, and what a guest gives as JSON is read
/// and written anew. Thread-safe.
final class EventLines {
    /// A guest's own JSON may nest deeper than ours.
    private static final int DEPTH_MAX = 200;

    private static final int NUMBER_CHARS_MAX = 1000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(NUMBER_CHARS_MAX)
                    .build())
            .build();

    /// Where clients look for a representation.
    private static final Map<String, String> KEYS = Map.ofEntries(
            Map.entry("text/plain", "text"),
            Map.entry("text/html", "html"),
            Map.entry("text/markdown", "markdown"),
            Map.entry("image/svg+xml", "svg"),
            Map.entry("image/png", "png"),
            Map.entry("image/jpeg", "jpeg"),
            Map.entry("application/pdf", "pdf"),
            Map.entry("text/latex", "latex"),
            Map.entry("application/json", "json"),
            Map.entry("application/javascript", "javascript"),
            Map.entry("application/vnd.glovebox.data+json", "data"),
            Map.entry("application/vnd.glovebox.chart+json", "chart"),
            Map.entry("e2b/data", "data"),
            Map.entry("e2b/chart", "chart"));
    private static final Set<String> JSON_KEYS = Set.of("json", "data", "chart");

    private final Clock clock;

    EventLines(Clock clock) {
        this.clock = clock;
    }

    byte[] number(long executions) {
        return line("number_of_executions", json -> {
            json.writeName("execution_count");
            json.writeNumber(executions);
        });
    }

    byte[] output(boolean isError, String text) {
        return line(isError ? "stderr" : "stdout", json -> {
            text(json, "text", text);
            text(json, "timestamp", clock.instant().toString());
        });
    }

    byte[] error(String name, String value, String traceback) {
        return line("error", json -> {
            text(json, "name", name);
            text(json, "value", value);
            text(json, "traceback", traceback);
        });
    }

    byte[] keepalive() {
        return line("keepalive", _ -> {});
    }

    byte[] end() {
        return line("end_of_execution", _ -> {});
    }

    byte[] result(MimeBundle bundle) {
        return line("result", json -> {
            representations(bundle).forEach((key, content) -> {
                json.writeName(key);
                Optional<String> value = JSON_KEYS.contains(key) ? anew(content) : Optional.empty();
                if (value.isPresent()) {
                    json.writeRawValue(value.get());
                } else {
                    json.writeString(content);
                }
            });
            extra(json, bundle);
            json.writeName("is_main_result");
            json.writeBoolean(bundle.main());
        });
    }

    /// What clients have no key for, once more in one place: some look for it there, some among the keys.
    private static void extra(JsonGenerator json, MimeBundle bundle) {
        Map<String, String> extra = new LinkedHashMap<>(bundle.data());
        extra.keySet().removeIf(type -> KEYS.containsKey(type) || type.indexOf('/') <= 0);
        if (!extra.isEmpty()) {
            json.writeName("extra");
            json.writeStartObject();
            extra.forEach((type, content) -> text(json, type, content));
            json.writeEndObject();
        }
    }

    /// By the keys that clients know. What they do not know stands beside it, by its type.
    private static Map<String, String> representations(MimeBundle bundle) {
        Map<String, String> byKey = new LinkedHashMap<>();
        bundle.data().forEach((type, content) -> {
            String key = KEYS.getOrDefault(type, type);
            if (!key.equals(type) || type.indexOf('/') > 0) {
                byKey.putIfAbsent(key, key.equals("text") ? unquoted(content) : content);
            }
        });
        return byKey;
    }

    /// A text as the value of an expression: E2B's interpreter takes off the quotes that languages put around it.
    private static String unquoted(String text) {
        boolean isQuoted = text.length() >= 2
                && "'\"".indexOf(text.charAt(0)) >= 0
                && text.charAt(0) == text.charAt(text.length() - 1);
        return isQuoted ? text.substring(1, text.length() - 1) : text;
    }

    /// A guest's JSON, written by us; empty if it is none.
    private static Optional<String> anew(String json) {
        StringWriter text = new StringWriter(json.length() + 16);
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json);
                JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            if (parser.nextToken() == null) {
                return Optional.empty();
            }
            generator.copyCurrentStructure(parser);
            if (parser.nextToken() != null) {
                return Optional.empty();
            }
        } catch (JacksonException e) {
            return Optional.empty();
        }
        return Optional.of(text.toString());
    }

    private interface Body {
        void write(JsonGenerator json);
    }

    private static void text(JsonGenerator json, String name, String value) {
        json.writeName(name);
        json.writeString(value);
    }

    private static byte[] line(String type, Body body) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            text(json, "type", type);
            body.write(json);
            json.writeEndObject();
        }
        return text.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
    }
}
