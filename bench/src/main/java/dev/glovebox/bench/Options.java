package dev.glovebox.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// What the benchmark was asked for on its command line.
///
/// @param names of sections; empty is all but those that must be named
/// @param soak how long to soak instead
record Options(boolean quick, Optional<Path> json, long seed, Optional<Duration> soak, List<String> names) {
    static final String USAGE = """
            usage: glovebox bench [--quick] [--json FILE] [--seed N] [SECTION...]
                   glovebox bench soak [--minutes N] [--seed N] [--json FILE]
            Sections: %s; without a name, all of them but density.
            """;

    private static final long MINUTES_DEFAULT = 15;

    static Options parse(String[] arguments) {
        Deque<String> rest = new ArrayDeque<>(List.of(arguments));
        boolean quick = false;
        Optional<Path> json = Optional.empty();
        long seed = 1;
        long minutes = MINUTES_DEFAULT;
        List<String> names = new ArrayList<>();
        while (!rest.isEmpty()) {
            String word = rest.removeFirst();
            switch (word) {
                case "--quick" -> quick = true;
                case "--json" -> json = Optional.of(Path.of(value(word, rest)));
                case "--seed" -> seed = number(word, rest);
                case "--minutes" -> minutes = number(word, rest);
                default -> names.add(word);
            }
        }
        boolean soak = names.remove("soak");
        return new Options(
                quick, json, seed, soak ? Optional.of(Duration.ofMinutes(minutes)) : Optional.empty(), names);
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException("the option " + option + " needs a value");
        }
        return rest.removeFirst();
    }

    private static long number(String option, Deque<String> rest) {
        String value = value(option, rest);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the option " + option + " needs a number, not " + value, e);
        }
    }
}
