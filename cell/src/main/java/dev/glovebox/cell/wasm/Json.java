package dev.glovebox.cell.wasm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// As much of JSON as the interpreters' lines need: writing texts, and reading one object whose values are kept
/// as text.
final class Json {
    private static final int DEPTH_MAX = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /// A text with quotes around it, in ASCII.
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c >= ' ' && c < 0x7f) {
                out.append(c);
            } else {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(Character.forDigit((c >> shift) & 0xf, 16));
                }
            }
        }
        return out.append('"').toString();
    }

    /// An object of texts.
    static String object(Map<String, String> entries) {
        StringBuilder out = new StringBuilder("{");
        entries.forEach((name, value) -> {
            if (out.length() > 1) {
                out.append(',');
            }
            out.append(quote(name)).append(':').append(quote(value));
        });
        return out.append('}').toString();
    }

    static String array(Iterable<String> values) {
        StringBuilder out = new StringBuilder("[");
        for (String value : values) {
            if (out.length() > 1) {
                out.append(',');
            }
            out.append(quote(value));
        }
        return out.append(']').toString();
    }

    /// Reads one object. A value that is a string is given without its quotes, every other as its JSON.
    ///
    /// @throws IllegalArgumentException if the text is not one
    static Map<String, String> read(String text) {
        Json json = new Json(text);
        Map<String, String> result = new LinkedHashMap<>();
        json.expect('{');
        if (json.peek() == '}') {
            json.at++;
        } else {
            do {
                String name = json.string();
                json.expect(':');
                result.put(name, json.value());
            } while (json.more('}'));
        }
        if (json.peek() != 0) {
            throw malformed();
        }
        return result;
    }

    /// Reads one array; its values as those of [#read].
    ///
    /// @throws IllegalArgumentException if the text is not one
    static List<String> readArray(String text) {
        Json json = new Json(text);
        List<String> result = new ArrayList<>();
        json.expect('[');
        if (json.peek() == ']') {
            json.at++;
        } else {
            do {
                result.add(json.value());
            } while (json.more(']'));
        }
        if (json.peek() != 0) {
            throw malformed();
        }
        return result;
    }

    private String value() {
        if (peek() == '"') {
            return string();
        }
        int start = at;
        skip(0);
        return text.substring(start, at);
    }

    private void skip(int depth) {
        if (depth > DEPTH_MAX) {
            throw malformed();
        }
        switch (peek()) {
            case '"' -> string();
            case '{', '[' -> skipNested(depth);
            case 0 -> throw malformed();
            default -> {
                while (at < text.length() && ",]} \n\t\r".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
            }
        }
    }

    private void skipNested(int depth) {
        char open = peek();
        char close = open == '{' ? '}' : ']';
        at++;
        if (peek() == close) {
            at++;
            return;
        }
        do {
            if (open == '{') {
                string();
                expect(':');
            }
            skip(depth + 1);
        } while (more(close));
    }

    private boolean more(char close) {
        char next = peek();
        at++;
        if (next != ',' && next != close) {
            throw malformed();
        }
        return next == ',';
    }

    private String string() {
        expect('"');
        int end = at;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') {
            end++;
        }
        if (end < text.length() && text.charAt(end) == '"') {
            String plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        StringBuilder out = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            out.append(c == '\\' ? escaped(next()) : c);
        }
        return out.toString();
    }

    private char escaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = Character.digit(next(), 16);
                    if (digit < 0) {
                        throw malformed();
                    }
                    code = (code << 4) | digit;
                }
                yield (char) code;
            }
            case '"', '\\', '/' -> c;
            default -> throw malformed();
        };
    }

    private char next() {
        if (at >= text.length()) {
            throw malformed();
        }
        return text.charAt(at++);
    }

    /// The next character that is no white space; 0 at the end.
    private char peek() {
        while (at < text.length() && " \n\t\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw malformed();
        }
        at++;
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("malformed JSON");
    }
}
