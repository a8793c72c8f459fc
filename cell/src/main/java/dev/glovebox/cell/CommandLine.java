package dev.glovebox.cell;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/// Understands the few command lines that make sense where there are no programs but only interpreters.
final class CommandLine {
    private static final String STRONGER = "; tiers with a shell and Linux programs are gvisor, microvm and jail";
    private static final Set<String> PYTHON_NAMES = Set.of("python", "python3", "python3.13");
    private static final Set<String> JAVASCRIPT_NAMES = Set.of("node", "js", "nodejs");
    /// Options that change nothing in an interpreter without site packages and compiled files.
    private static final Set<String> PYTHON_FLAGS = Set.of("-u", "-B", "-I", "-s", "-S", "-E", "-q");

    private CommandLine() {}

    /// @throws GloveboxException UNSUPPORTED or INVALID_ARGUMENT, in words
    static Launch parse(List<String> argv, Tier tier) {
        if (argv.isEmpty() || argv.getFirst().isEmpty()) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "a process needs a command line or code");
        }
        String program = argv.getFirst().substring(argv.getFirst().lastIndexOf('/') + 1);
        List<String> rest = argv.subList(1, argv.size());
        if (PYTHON_NAMES.contains(program)) {
            return require(tier, python(rest));
        }
        if (JAVASCRIPT_NAMES.contains(program)) {
            return require(tier, javascript(rest));
        }
        Language language = Language.ofFileName(program).orElse(null);
        if (language == null) {
            throw unsupported(
                    "this tier runs interpreters and not programs: python, node and FILE.wasm are what it knows"
                            + STRONGER);
        }
        return require(tier, new Launch(language, new Launch.Source.File(argv.getFirst()), argv));
    }

    /// The same launch, if the tier has the language.
    static Launch require(Tier tier, Launch launch) {
        requireLanguage(tier, launch.language());
        return launch;
    }

    static void requireLanguage(Tier tier, Language language) {
        boolean has = switch (language) {
            case PYTHON, WASM -> tier == Tier.WASM;
            case JAVASCRIPT -> true;
            case TYPESCRIPT -> tier == Tier.ISOLATE;
        };
        if (!has) {
            throw unsupported("tier " + tier.word() + " does not run " + language.word() + "; tier "
                    + (tier == Tier.WASM ? "isolate" : "wasm") + " does");
        }
    }

    private static Launch python(List<String> rest) {
        int i = 0;
        while (i < rest.size() && PYTHON_FLAGS.contains(rest.get(i))) {
            i++;
        }
        if (i == rest.size()) {
            return new Launch(Language.PYTHON, new Launch.Source.StandardInput(), List.of(""));
        }
        String first = rest.get(i);
        List<String> after = rest.subList(i + 1, rest.size());
        return switch (first) {
            case "-c" ->
                new Launch(
                        Language.PYTHON,
                        new Launch.Source.Given(code(after, "-c"), "<string>"),
                        arguments("-c", after.subList(1, after.size())));
            case "-m" -> {
                if (after.isEmpty()) {
                    throw missing("-m");
                }
                yield new Launch(
                        Language.PYTHON,
                        new Launch.Source.Module(after.getFirst()),
                        arguments("-m", after.subList(1, after.size())));
            }
            case "-" -> new Launch(Language.PYTHON, new Launch.Source.StandardInput(), arguments("-", after));
            default -> file(Language.PYTHON, first, after);
        };
    }

    private static Launch javascript(List<String> rest) {
        List<String> left = !rest.isEmpty() && rest.getFirst().equals("--") ? rest.subList(1, rest.size()) : rest;
        if (left.isEmpty()) {
            return new Launch(Language.JAVASCRIPT, new Launch.Source.StandardInput(), List.of("node"));
        }
        String first = left.getFirst();
        List<String> after = left.subList(1, left.size());
        return switch (first) {
            case "-e", "--eval" ->
                new Launch(
                        Language.JAVASCRIPT,
                        new Launch.Source.Given(code(after, first), "[eval].js"),
                        arguments("[eval]", after.subList(1, after.size())));
            case "-" -> new Launch(Language.JAVASCRIPT, new Launch.Source.StandardInput(), arguments("-", after));
            default -> {
                Language language = Language.ofFileName(first).orElse(Language.JAVASCRIPT);
                yield file(language == Language.TYPESCRIPT ? Language.TYPESCRIPT : Language.JAVASCRIPT, first, after);
            }
        };
    }

    private static Launch file(Language language, String path, List<String> after) {
        if (path.startsWith("-")) {
            throw unsupported(
                    "this interpreter does not know that option; it knows -c, -m, -e, a file and -" + STRONGER);
        }
        return new Launch(language, new Launch.Source.File(path), arguments(path, after));
    }

    private static byte[] code(List<String> after, String option) {
        if (after.isEmpty()) {
            throw missing(option);
        }
        return after.getFirst().getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> arguments(String name, List<String> rest) {
        List<String> all = new java.util.ArrayList<>();
        all.add(name);
        all.addAll(rest);
        return all;
    }

    private static GloveboxException missing(String option) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, "option " + option + " needs a value");
    }

    private static GloveboxException unsupported(String words) {
        return new GloveboxException(ErrorCode.UNSUPPORTED, words);
    }
}
