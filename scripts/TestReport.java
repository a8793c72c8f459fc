import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// Adds up what all suites said and prints it: failures by name, the tiers that ran, one closing line. Fails if a test
/// failed, or if so few ran that something must have been passed over in silence.
final class TestReport {
    /// A floor: a build that runs fewer tests than this has lost some.
    private static final int PASSED_MIN = 300;

    /// Tests with real time, real processes and two processors fail now and then for the machine's sake and get a second
    /// try, which is told by name. More than this many are no accident.
    private static final int SECOND_TRIES_MAX = 5;

    private static final Pattern PLAIN = Pattern.compile("^(\\d+) passed, (\\d+) failed(?:, (\\d+) skipped)?", Pattern.MULTILINE);
    /// Suites that run on a tier name it in their class names.
    private static final List<String> TIERS = List.of("Wasm", "Isolate", "Jail", "Gvisor", "Microvm");

    private static final Map<String, String> NOT_BUILT = Map.of("Microvm", "not built yet");

    private int passed;
    private int failed;
    private int skipped;
    private final Map<String, Integer> byTier = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> secondTries = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        boolean whole = arguments.length == 1;
        System.exit(new TestReport().run(Path.of(arguments[0]), whole) ? 0 : 1);
    }

    private boolean run(Path root, boolean whole) throws Exception {
        try (Stream<Path> files = Files.walk(root, 4)) {
            List<Path> reports = files.filter(TestReport::isReport).sorted().toList();
            for (Path report : reports) {
                readXml(report);
            }
        }
        readPlain(root.resolve("build/test-reports"));
        failures.forEach(failure -> System.out.println("FAILED " + failure));
        secondTries.forEach(test -> System.out.println("passed at the second try " + test));
        System.out.println();
        System.out.println("tier      tests that ran on it");
        Map<String, String> leftOut = leftOut(root.resolve("build/test-reports/left-out.tsv"));
        for (String tier : TIERS) {
            String count = leftOut.containsKey(tier)
                    ? "left out: " + leftOut.get(tier)
                    : byTier.containsKey(tier) ? byTier.get(tier).toString() : NOT_BUILT.getOrDefault(tier, "none");
            System.out.printf("%-9s %s%n", tier.toLowerCase(java.util.Locale.ROOT), count);
        }
        System.out.println();
        boolean tooFew = passed < PASSED_MIN && !Files.exists(root.resolve("build/partial"));
        if (tooFew) {
            System.out.println("only " + passed + " tests ran; there are at least " + PASSED_MIN);
        }
        boolean tooShaky = secondTries.size() > SECOND_TRIES_MAX;
        if (tooShaky) {
            System.out.println(secondTries.size() + " tests passed at the second try only; at most " + SECOND_TRIES_MAX + " may");
        }
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0 && !tooFew && !tooShaky;
    }

    /// The tiers that cannot run on this machine, with the reason (scripts/test-tools.sh).
    private static Map<String, String> leftOut(Path file) throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] fields = line.split("\t", 2);
            reasons.merge(fields[0], fields[1], (one, other) -> one + "; " + other);
        }
        return reasons;
    }

    private static boolean isReport(Path path) {
        String text = path.toString();
        return text.endsWith(".xml")
                && path.getFileName().toString().startsWith("TEST-")
                && (text.contains("surefire-reports") || text.contains("failsafe-reports"));
    }

    private void readXml(Path report) throws Exception {
        NodeList cases = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("testcase");
        // Nested classes of a shared suite bear its name; whose it was says the file.
        String suite = report.getFileName().toString();
        for (int i = 0; i < cases.getLength(); i++) {
            Element test = (Element) cases.item(i);
            String name = test.getAttribute("classname") + "." + test.getAttribute("name");
            if (has(test, "failure") || has(test, "error")) {
                failed++;
                failures.add(name);
            } else if (has(test, "skipped")) {
                skipped++;
                System.out.println("skipped " + name);
            } else {
                passed++;
                if (has(test, "flakyFailure") || has(test, "flakyError")) {
                    secondTries.add(name);
                }
                TIERS.stream()
                        .filter(tier -> (suite + test.getAttribute("classname")).contains(tier))
                        .forEach(tier -> byTier.merge(tier, 1, Integer::sum));
            }
        }
    }

    private static boolean has(Element test, String child) {
        return test.getElementsByTagName(child).getLength() > 0;
    }

    private void readPlain(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".txt")).sorted().toList()) {
                String text = Files.readString(file);
                Matcher matcher = PLAIN.matcher(text);
                if (!matcher.find()) {
                    failed++;
                    failures.add(file.getFileName() + " has no closing line");
                    continue;
                }
                passed += Integer.parseInt(matcher.group(1));
                failed += Integer.parseInt(matcher.group(2));
                text.lines().filter(line -> line.startsWith("passed at the second try ")).forEach(line ->
                        secondTries.add(line.substring("passed at the second try ".length())));
                skipped += matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
            }
        }
    }
}
