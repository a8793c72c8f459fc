package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Rules of the house that no linter knows. Each message names the fix.
class TidyTest {
    private static final int FILE_LINES_MAX = 600;
    private static final int METHOD_LINES_MAX = 70;
    private static final long BLOB_BYTES_MAX = 256 * 1024;
    /// Fewer would mean that the walk found nothing, and that every rule here passes for no reason.
    private static final int JAVA_FILES_MIN = 150;

    /// Written by others and compiled as it is.
    private static final Pattern FOREIGN =
            Pattern.compile("^cli/src/main/java/picocli/.*|.*/vendor/.*|^mvnw.*|.*/dist/.*");

    /// Classes with tests end in one of these, or Surefire and Failsafe pass them over in silence. Those that
    /// are not run as they are (Conformance, Suite, Scenarios) are abstract.
    private static final Pattern TEST_NAME = Pattern.compile(".*(Test|IT|Conformance|Suite|Scenarios|Fuzz)");

    /// A declaration on one line: at least a type and a name before the parenthesis. Main sources are also
    /// measured by Checkstyle, which knows more.
    private static final Pattern HEAD_OF_METHOD = Pattern.compile(
            "^(?<indent> {4,})(?!return |throw |new |else |case |yield )(?:[\\w@<>\\[\\],.?]+ )+\\w+\\([^;]*\\{$");

    private static List<Path> ours(String ending) {
        return Tree.files(ending).stream()
                .filter(path -> !FOREIGN.matcher(path.toString()).matches())
                .toList();
    }

    private static boolean isText(Path path) {
        return path.toString()
                .matches(
                        ".*\\.(java|md|xml|json|yml|yaml|js|mjs|ts|py|c|h|sh|sql|properties|config|flags|html|css|txt)$"
                                + "|glovebox|.*/run");
    }

    @Test
    void theWalkFindsTheTree() {
        assertThat(ours(".java")).as("Java files under " + Tree.ROOT).hasSizeGreaterThan(JAVA_FILES_MIN);
    }

    @Test
    void filesAreShort() {
        List<String> faults = new ArrayList<>();
        for (Path file : ours(".java")) {
            long lines = Tree.read(file).lines().count();
            if (lines > FILE_LINES_MAX) {
                faults.add(file + " has " + lines + " lines, the bound is " + FILE_LINES_MAX + ": split it by concept");
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void methodsAreShort() {
        List<String> faults = new ArrayList<>();
        for (Path file : ours(".java")) {
            List<String> lines = Tree.read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                Matcher head = HEAD_OF_METHOD.matcher(lines.get(i));
                if (head.matches()
                        && !lines.get(i).contains(" class ")
                        && !lines.get(i).contains(" record ")) {
                    int end = lines.subList(i, lines.size()).indexOf(head.group("indent") + "}");
                    if (end > METHOD_LINES_MAX) {
                        faults.add(file + ":" + (i + 1) + " is a method of " + end + " lines, the bound is "
                                + METHOD_LINES_MAX + ": give its parts names");
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void thereIsNothingLeftToFix() {
        Pattern fixMe = Pattern.compile("\\b(FIX" + "ME|XX" + "X)\\b");
        Pattern toDo = Pattern.compile("\\bTO" + "DO\\b(?!\\(#\\d+\\))");
        List<String> faults = new ArrayList<>();
        for (Path file : ours("").stream().filter(TidyTest::isText).toList()) {
            String text = Tree.read(file);
            if (fixMe.matcher(text).find() || toDo.matcher(text).find()) {
                faults.add(file + " holds a note to fix something: fix it, or name an issue as TO" + "DO(#12)");
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void testsHaveNamesUnderWhichTheyRun() {
        Pattern test = Pattern.compile(
                "^\\s*@(Test|ParameterizedTest|RepeatedTest|ArchTest|Property|Nested)\\b", Pattern.MULTILINE);
        List<String> faults = new ArrayList<>();
        for (Path file : ours(".java")) {
            String name = file.getFileName().toString().replace(".java", "");
            String text = Tree.read(file);
            boolean runs = name.matches(".*(Test|IT|Fuzz)")
                    || text.contains("abstract class " + name)
                    || text.contains("interface " + name);
            if (test.matcher(text).find() && !(runs && TEST_NAME.matcher(name).matches())) {
                faults.add(file + " holds tests that no build would run: end its name in Test, IT or Fuzz, or make it"
                        + " abstract and end its name in Conformance, Suite or Scenarios");
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void noTestIsSwitchedOff() {
        Pattern off = Pattern.compile("@Dis" + "abled|assu" + "meTrue|assu" + "meThat|@Enabled" + "If");
        assertThat(ours(".java"))
                .filteredOn(file -> off.matcher(Tree.read(file)).find())
                .as("tests that are switched off or skip in silence: assert the refusal instead")
                .isEmpty();
    }

    @Test
    void linksInDocumentsLeadSomewhere() {
        Pattern link = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
        List<String> faults = new ArrayList<>();
        for (Path file : ours(".md")) {
            Matcher matcher = link.matcher(Tree.read(file).replaceAll("(?s)```.*?```", ""));
            while (matcher.find()) {
                String target = matcher.group(1).replaceAll("#.*", "");
                if (!target.isEmpty() && !target.matches("[a-z]+:.*")) {
                    Path place = Tree.ROOT.resolve(file).resolveSibling(target).normalize();
                    if (!Files.exists(place)) {
                        faults.add(file + " links to " + target + ", which is not there");
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void everyErrorCodeIsExplained() throws IOException {
        sameAsMade("docs/errors.md", ReferencePages.errors());
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(Tree.read("docs/errors.md")).contains("`" + code.word() + "`");
        }
    }

    @Test
    void everyLimitIsExplained() throws IOException {
        sameAsMade("docs/limits.md", ReferencePages.limits());
        for (Field constant : ReferencePages.constants()) {
            assertThat(Tree.read("docs/limits.md")).contains("`" + constant.getName() + "`");
        }
    }

    private static void sameAsMade(String page, String made) throws IOException {
        if (Boolean.getBoolean("glovebox.write")) {
            Files.writeString(Tree.ROOT.resolve(page), made);
        }
        assertThat(Tree.read(page))
                .as(page + " is not what its source says: run this test with -Dglovebox.write=true and commit the page")
                .isEqualTo(made);
    }

    @Test
    void theChangelogBeginsWithWhatIsNotReleased() {
        assertThat(Tree.read("CHANGELOG.md"))
                .as("CHANGELOG.md needs a section for what comes next")
                .containsPattern("(?m)^## \\[?Unreleased");
    }

    @Test
    void theIndexOfDecisionsIsComplete() {
        String index = Tree.read("docs/adr/README.md");
        Set<String> present = new TreeSet<>();
        for (Path file : Tree.files(".md")) {
            if (file.startsWith("docs/adr") && !file.endsWith("README.md")) {
                present.add(file.getFileName().toString());
            }
        }
        assertThat(present).isNotEmpty();
        Set<String> listed = new TreeSet<>();
        Matcher matcher = Pattern.compile("\\((\\d{4}-[a-z0-9-]+\\.md)\\)").matcher(index);
        while (matcher.find()) {
            listed.add(matcher.group(1));
        }
        assertThat(listed)
                .as("decisions in docs/adr/README.md and in its directory")
                .isEqualTo(present);
        assertThat(present.stream().map(name -> name.substring(0, 4))).doesNotHaveDuplicates();
    }

    @Test
    void nothingInTheTreeIsLarge() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path file : Tree.files()) {
            long size = Files.size(Tree.ROOT.resolve(file));
            if (size > BLOB_BYTES_MAX && !file.toString().matches("guest/[^/]+/dist/.*")) {
                faults.add(file + " has " + size + " bytes, the bound is " + BLOB_BYTES_MAX
                        + ": build it, fetch it, or put it under guest/*/dist with its recipe");
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void everyModuleIsExplained() {
        String text = Tree.read("README.md") + Tree.read("docs/ARCHITECTURE.md");
        Matcher module = Pattern.compile("<module>([a-z]+)</module>").matcher(Tree.read("pom.xml"));
        List<String> modules = new ArrayList<>();
        while (module.find()) {
            modules.add(module.group(1));
        }
        assertThat(modules)
                .hasSizeGreaterThan(8)
                .allSatisfy(name -> assertThat(text)
                        .as("README.md or docs/ARCHITECTURE.md must say what module " + name + " is")
                        .contains("`" + name + "`"));
    }

    @Test
    void nothingNamesOneMachinesDirectories() {
        Pattern machine = Pattern.compile("(?<![\\w/.-])/(?:wo" + "rk/main|wo" + "rk/shared|home/(?!user\\b)[a-z]+/)");
        // Attacks may look for the files of the user who runs the server.
        Pattern rootsHome = Pattern.compile("(?<![\\w/.-])/ro" + "ot/");
        List<String> faults = new ArrayList<>();
        for (Path file : ours("").stream().filter(TidyTest::isText).toList()) {
            String text = Tree.read(file);
            boolean isAttack = file.toString().matches(".*(Escape|Scenarios).*");
            if (machine.matcher(text).find()
                    || (!isAttack && rootsHome.matcher(text).find())) {
                faults.add(file + " names a directory of one machine: make it relative, or find it");
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void textIsPlain() {
        List<String> faults = new ArrayList<>();
        for (Path file : ours("").stream().filter(TidyTest::isText).toList()) {
            String text = Tree.read(file);
            boolean hasTab = file.toString().endsWith(".java") && text.indexOf('\t') >= 0;
            if (hasTab || text.indexOf('\r') >= 0) {
                faults.add(file + " holds a carriage return or a tab: use newlines and spaces");
            }
            if (Pattern.compile("[\\u0000-\\u0008\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]")
                    .matcher(text)
                    .find()) {
                faults.add(file + " holds a character that cannot be seen: write it as an escape");
            }
        }
        assertThat(faults).isEmpty();
    }
}
