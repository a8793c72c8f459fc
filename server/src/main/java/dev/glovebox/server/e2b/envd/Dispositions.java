package dev.glovebox.server.e2b.envd;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// `Content-Disposition`: written with names of any characters, and read as clients write it.
final class Dispositions {
    private static final String UNESCAPED = "!#$&+-.^_`|~";
    private static final String EXTENDED = "filename*";

    private Dispositions() {}

    /// For a file that is sent.
    static String inline(String fileName) {
        StringBuilder plain = new StringBuilder();
        StringBuilder encoded = new StringBuilder();
        for (byte unit : fileName.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (unit & 0xff);
            boolean isWord = c < 0x80 && Character.isLetterOrDigit(c);
            if (isWord || UNESCAPED.indexOf(c) >= 0) {
                encoded.append(c);
            } else {
                encoded.append('%').append("%02X".formatted((int) c));
            }
        }
        fileName.codePoints()
                .forEach(c -> plain.append(c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? (char) c : '_'));
        String simple = "inline; filename=\"" + plain + "\"";
        return plain.toString().equals(fileName) ? simple : simple + "; filename*=UTF-8''" + encoded;
    }

    /// The parameters of a part's header, by their names.
    static Map<String, String> parameters(String header) {
        Map<String, String> parameters = new HashMap<>();
        int at = header.indexOf(';');
        while (at >= 0 && at < header.length()) {
            int equals = header.indexOf('=', at);
            if (equals < 0) {
                break;
            }
            String name = header.substring(at + 1, equals).strip().toLowerCase(Locale.ROOT);
            StringBuilder value = new StringBuilder();
            at = value(header, equals + 1, value);
            parameters.putIfAbsent(name, value.toString());
        }
        return parameters;
    }

    /// Reads a value, quoted or not; returns where it ends.
    private static int value(String header, int from, StringBuilder value) {
        int at = from;
        while (at < header.length() && header.charAt(at) == ' ') {
            at++;
        }
        if (at == header.length() || header.charAt(at) != '"') {
            int end = header.indexOf(';', at);
            int stop = end < 0 ? header.length() : end;
            value.append(header.substring(at, stop).strip());
            return stop;
        }
        for (at++; at < header.length() && header.charAt(at) != '"'; at++) {
            boolean isEscape = header.charAt(at) == '\\'
                    && at + 1 < header.length()
                    && (header.charAt(at + 1) == '"' || header.charAt(at + 1) == '\\');
            at += isEscape ? 1 : 0;
            value.append(header.charAt(at));
        }
        int end = header.indexOf(';', at);
        return end < 0 ? header.length() : end;
    }

    /// The name of a file that is uploaded, all of it: it may have directories.
    static Optional<String> fileName(Map<String, String> parameters) {
        String extended = parameters.get(EXTENDED);
        if (extended != null) {
            int tick = extended.indexOf('\'', extended.indexOf('\'') + 1);
            return tick < 0 ? Optional.empty() : Optional.of(unescape(extended.substring(tick + 1)));
        }
        // Browsers, and fetch, write three characters so, and leave a percent sign as it is.
        return Optional.ofNullable(parameters.get("filename"))
                .map(name -> name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"));
    }

    private static String unescape(String text) {
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        for (int at = 0; at < text.length(); at++) {
            int code = text.charAt(at) == '%' && at + 2 < text.length() + 0 ? hex(text.substring(at + 1, at + 3)) : -1;
            if (code >= 0) {
                bytes.write(code);
                at += 2;
            } else {
                bytes.writeBytes(String.valueOf(text.charAt(at)).getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static int hex(String digits) {
        return digits.matches("[0-9A-Fa-f]{2}") ? Integer.parseInt(digits, 16) : -1;
    }
}
