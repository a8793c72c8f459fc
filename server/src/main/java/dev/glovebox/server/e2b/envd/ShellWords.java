package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.ArrayList;
import java.util.List;

/// Splits a command line into words as a shell does: blanks, both kinds of quotes, and backslashes. What only a real
/// shell could do (operators, variables, patterns) is refused, never passed on as text.
final class ShellWords {
    private static final String REFUSED = "|&;<>()`$*?[]{}~#!\n";
    private static final String REFUSED_IN_QUOTES = "`$";
    /// What a backslash within double quotes takes its meaning from; before others it is a backslash.
    private static final String ESCAPED_IN_QUOTES = "\\\"`$";

    private final String line;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean isWord;
    private int at;

    private ShellWords(String line) {
        this.line = line;
    }

    /// The words.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if it needs a shell
    static List<String> split(String line) {
        return new ShellWords(line.strip()).split();
    }

    private List<String> split() {
        while (at < line.length()) {
            char c = line.charAt(at++);
            switch (c) {
                case ' ', '\t' -> endWord();
                case '\'' -> quoted();
                case '"' -> doubleQuoted();
                case '\\' -> {
                    char next = next();
                    if (next != '\n') {
                        add(next);
                    }
                }
                default -> {
                    if (REFUSED.indexOf(c) >= 0) {
                        throw refused(c);
                    }
                    add(c);
                }
            }
        }
        endWord();
        return words;
    }

    private void quoted() {
        isWord = true;
        int end = line.indexOf('\'', at);
        if (end < 0) {
            throw invalid("a single quote is not closed");
        }
        word.append(line, at, end);
        at = end + 1;
    }

    private void doubleQuoted() {
        isWord = true;
        for (char c = next(); c != '"'; c = next()) {
            if (REFUSED_IN_QUOTES.indexOf(c) >= 0) {
                throw refused(c);
            }
            if (c != '\\') {
                word.append(c);
                continue;
            }
            char escaped = next();
            if (escaped == '\n') {
                continue;
            }
            if (ESCAPED_IN_QUOTES.indexOf(escaped) < 0) {
                word.append('\\');
            }
            word.append(escaped);
        }
    }

    private char next() {
        if (at >= line.length()) {
            throw invalid("a quote or a backslash at the end is not closed");
        }
        return line.charAt(at++);
    }

    private void add(char c) {
        isWord = true;
        word.append(c);
    }

    private void endWord() {
        if (isWord) {
            words.add(word.toString());
            word.setLength(0);
            isWord = false;
        }
    }

    private static GloveboxException refused(char c) {
        return invalid(c == '\n' ? "it has more than one line" : "'" + c + "' is for a shell to understand: quote it");
    }

    private static GloveboxException invalid(String why) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, why);
    }
}
