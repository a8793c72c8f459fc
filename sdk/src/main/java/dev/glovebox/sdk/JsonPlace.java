package dev.glovebox.sdk;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;

/// Where in a JSON text something is wrong, in words: `the field 'rules."api.github.com"[0].transform'`. Costs
/// nothing as long as nothing is wrong. Names are the caller's own: they are cut and shown only in plain ASCII.
public final class JsonPlace {
    private static final int NAME_CHARS_MAX = 64;

    private JsonPlace() {}

    /// The place of the parser's current name or value.
    static String of(JsonParser parser) {
        TokenStreamContext context = parser.streamReadContext();
        JsonToken token = parser.currentToken();
        // The parser is in what has just begun; its place is the one that it has in what holds it.
        boolean isBeginning = token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY;
        return words(path(isBeginning ? context.getParent() : context));
    }

    /// The place of a field that is missing in the object that has just ended.
    static String below(JsonParser parser, String name) {
        return words(path(parser.streamReadContext()) + "." + shown(name));
    }

    private static String words(String path) {
        return path.isEmpty() ? "the text" : "the field '" + (path.startsWith(".") ? path.substring(1) : path) + "'";
    }

    private static String path(@Nullable TokenStreamContext context) {
        if (context == null || context.inRoot()) {
            return "";
        }
        String name = context.currentName();
        String here = context.inArray() ? "[" + context.getCurrentIndex() + "]" : name == null ? "" : "." + shown(name);
        return path(context.getParent()) + here;
    }

    /// A field's name as it stands in a place: in quotes unless it is a plain word.
    public static String shown(String name) {
        if (name.matches("[$A-Za-z_][$A-Za-z0-9_-]{0,63}")) {
            return name;
        }
        String cut = name.length() > NAME_CHARS_MAX ? name.substring(0, NAME_CHARS_MAX) + "..." : name;
        return '"' + cut.replaceAll("[^\\x20-\\x7e]|\"", "?") + '"';
    }
}
