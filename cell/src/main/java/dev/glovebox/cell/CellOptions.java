package dev.glovebox.cell;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The command line of a cell: `--socket PATH [--warm python=4,javascript=2,isolate=2] [--prime] [--train]`.
///
/// @param socket the host's socket; null when training
/// @param dist where the native library and the interpreters are
/// @param warm how many interpreters of each kind stand ready
/// @param prime make Python ready at once, beside everything else: there will be one run, and most are Python
/// @param train make one run of each interpreter and exit, for the AOT cache
record CellOptions(@Nullable Path socket, Path dist, Map<String, Integer> warm, boolean prime, boolean train) {
    private static final int WARM_MAX = 64;
    private static final Map<String, Integer> WARM_DEFAULT = Map.of("python", 4, "javascript", 2, "isolate", 2);

    /// @throws IllegalArgumentException in words for an operator
    static CellOptions parse(List<String> arguments) {
        Path socket = null;
        Map<String, Integer> warm = new HashMap<>(WARM_DEFAULT);
        boolean prime = false;
        boolean train = false;
        for (int i = 0; i < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "--socket" -> socket = Path.of(value(arguments, ++i));
                case "--warm" -> readWarm(value(arguments, ++i), warm);
                case "--prime" -> prime = true;
                case "--train" -> train = true;
                default ->
                    throw new IllegalArgumentException("a cell takes --socket, --warm, --prime and --train only");
            }
        }
        String dist = System.getProperty("glovebox.dist");
        if (dist == null) {
            throw new IllegalArgumentException("the system property glovebox.dist is not set");
        }
        if (socket == null && !train) {
            throw new IllegalArgumentException("a cell needs --socket PATH");
        }
        return new CellOptions(socket, Path.of(dist), Map.copyOf(warm), prime, train);
    }

    int warm(InterpreterPool.Kind kind) {
        return warm.getOrDefault(kind.word(), 0);
    }

    private static void readWarm(String list, Map<String, Integer> warm) {
        for (String entry : list.split(",", -1)) {
            int equals = entry.indexOf('=');
            int count = equals < 1 ? -1 : number(entry.substring(equals + 1));
            if (count < 0 || count > WARM_MAX) {
                throw new IllegalArgumentException("--warm is a list such as python=4, each 0 to " + WARM_MAX);
            }
            warm.put(entry.substring(0, equals), count);
        }
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    private static String value(List<String> arguments, int index) {
        if (index >= arguments.size()) {
            throw new IllegalArgumentException(arguments.getLast() + " needs a value");
        }
        return arguments.get(index);
    }
}
