package dev.glovebox.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/// The arrows of docs/ARCHITECTURE.md, and who may touch what of the outside world.
class ArchitectureTest {
    /// An import that found little would make every rule pass.
    private static final int CLASSES_MIN = 250;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.glovebox");

    /// The only classes that see implementations and put them together.
    private static final Set<String> WIRING =
            Set.of("Main", "Embedded", "Doctor", "AuditTool", "TemplateTool", "TrustTool", "PolicyTool");

    /// A piece of the wiring that is nobody's door.
    private static final String OUTBOUND = "OutboundNetwork";

    /// The core's records of what is asked for.
    private static final Set<String> ASKED = Set.of("Command", "RunSpec", "SandboxSpec");

    private static final Set<String> CELL_WIRING = Set.of("Cell", "IsolateSource", "SandboxFactory");

    private static final String ROOT = "dev.glovebox.";

    private static DescribedPredicate<JavaClass> outermost(String what, Predicate<String> name) {
        return describe(what, javaClass -> name.test(outermost(javaClass).getSimpleName()));
    }

    private static JavaClass outermost(JavaClass javaClass) {
        JavaClass at = javaClass;
        while (at.getEnclosingClass().isPresent()) {
            at = at.getEnclosingClass().get();
        }
        return at;
    }

    private static String module(String name) {
        return ROOT + name + "..";
    }

    @Test
    void thereAreClassesToLookAt() {
        assertThat(CLASSES.size()).isGreaterThan(CLASSES_MIN);
        for (String module :
                List.of("core", "wire", "engine", "store", "egress", "backends", "cell", "server", "sdk", "cli")) {
            assertThat(CLASSES.stream().anyMatch(resideInAPackage(module(module))))
                    .as("classes of " + module)
                    .isTrue();
        }
    }

    private static void onlyUses(String module, String... others) {
        String[] allowed = new String[others.length + 1];
        allowed[0] = module(module);
        for (int i = 0; i < others.length; i++) {
            allowed[i + 1] = module(others[i]);
        }
        classes()
                .that(resideInAPackage(module(module)))
                .should()
                .onlyDependOnClassesThat(describe(
                        "may be used by " + module,
                        used -> !used.getPackageName().startsWith("dev.glovebox")
                                || resideInAnyPackage(allowed).test(used)))
                .check(CLASSES);
    }

    @Test
    void theArrowsPointOneWay() {
        onlyUses("core");
        onlyUses("wire");
        onlyUses("engine", "core");
        onlyUses("store", "core");
        onlyUses("egress", "core");
        onlyUses("backends", "core", "wire");
        onlyUses("cell", "core", "wire");
        onlyUses("sdk", "wire");
        onlyUses("server", "core", "engine", "wire", "sdk", "store", "backends", "egress");
        onlyUses("cli", "sdk", "wire", "server");
    }

    @Test
    void theCoreIsPure() {
        noClasses()
                .that(resideInAPackage(module("core")))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.io..",
                                "java.nio.file..",
                                "java.nio.channels..",
                                "java.net..",
                                "java.sql..",
                                "java.util.concurrent..")
                        // A table: the spelling of names beyond ASCII. It opens nothing.
                        .and(describe("do something", c -> !c.isEquivalentTo(java.net.IDN.class))))
                .orShould()
                .dependOnClassesThat(describe("are threads", c -> c.isEquivalentTo(Thread.class)))
                // Every exception names these two of java.io when it is written out.
                .check(CLASSES.that(describe("are no exceptions", c -> !c.isAssignableTo(Throwable.class))));
    }

    @Test
    void onlyTheWiringSeesImplementations() {
        noClasses()
                .that(resideInAPackage(module("server")))
                .and(DescribedPredicate.not(
                        outermost("are the wiring", name -> WIRING.contains(name) || name.equals(OUTBOUND))))
                .should()
                .dependOnClassesThat(resideInAnyPackage(module("store"), module("backends"), module("egress")))
                .check(CLASSES);
    }

    @Test
    void theCommandLineEntersTheServerThroughItsDoors() {
        noClasses()
                .that(resideInAPackage(module("cli")))
                .should()
                .dependOnClassesThat(describe(
                        "are the server's but none of its doors",
                        used -> used.getPackageName().startsWith(ROOT + "server")
                                && !WIRING.contains(outermost(used).getSimpleName())))
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        // What is asked for names what it is about; the words for that know nothing of what is asked.
        // The cell has a wiring of its own: the classes that put its interpreters together.
        slices().matching("dev.glovebox.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(
                        outermost("say what is asked for", ASKED::contains).and(resideInAPackage(ROOT + "core")),
                        resideInAnyPackage(module("core.egress"), module("core.secret")))
                .ignoreDependency(
                        outermost("wire the cell", CELL_WIRING::contains).and(resideInAPackage(ROOT + "cell")),
                        resideInAnyPackage(module("cell.wasm"), module("cell.isolate"), module("cell.wasi")))
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysWhatMayBeAbsent() {
        Set<String> packages =
                CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
        for (String name : packages) {
            assertThat(CLASSES.getPackage(name).isAnnotatedWith(NullMarked.class))
                    .as("package-info.java of " + name + " must say @NullMarked")
                    .isTrue();
        }
    }

    @Test
    void onlyLaunchersStartProcesses() {
        noClasses()
                .that(DescribedPredicate.not(outermost("are launchers", name -> name.endsWith("Launcher"))
                                .and(resideInAPackage(module("backends"))))
                        // stty, whose standard input is the terminal, and which is told nothing of a guest.
                        .and(DescribedPredicate.not(
                                outermost("asks for the terminal", name -> name.equals("Terminal"))))
                        .and(DescribedPredicate.not(
                                resideInAnyPackage(module("bench"), module("conformance"), module("testkit")))))
                .should()
                .dependOnClassesThat(describe("start processes", c -> c.isEquivalentTo(ProcessBuilder.class)))
                .orShould()
                .callMethodWhere(describe(
                        "Runtime.exec",
                        call -> call.getTargetOwner().isEquivalentTo(Runtime.class)
                                && call.getName().equals("exec")))
                .check(CLASSES);
    }

    @Test
    void onlyThoseWhoTalkOpenSockets() {
        noClasses()
                .that(resideInAnyPackage(
                        module("core"), module("wire"), module("engine"), module("store"), module("cli")))
                .should()
                .dependOnClassesThat(describe(
                        "are sockets",
                        used -> used.getName()
                                .matches("java\\.net\\.(Server|Datagram|Multicast)?Socket"
                                        + "|java\\.nio\\.channels\\.(Server|Asynchronous(Server)?)?SocketChannel"
                                        + "|java\\.nio\\.channels\\.DatagramChannel|java\\.net\\.http\\..*")))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(module("cell")))
                .and(DescribedPredicate.not(outermost(
                        "speak to the host",
                        // ConnectionSocket is a socket by its class only: what the JDK's TLS is layered over.
                        name -> Set.of(
                                        "Cell",
                                        "CellConnection",
                                        "FrameSocket",
                                        "Launch",
                                        "Training",
                                        "ConnectionSocket")
                                .contains(name))))
                .should()
                .dependOnClassesThat(describe(
                        "are sockets",
                        used -> used.getName()
                                .matches("java\\.net\\..*Socket|java\\.nio\\.channels\\..*SocketChannel")))
                .check(CLASSES);
    }

    @Test
    void onlyNamedClassesTouchForeignMemory() {
        noClasses()
                .that(DescribedPredicate.not(outermost(
                        "are named here",
                        name -> Set.of(
                                        "Linux",
                                        "WasmPages",
                                        "V8Library",
                                        "LinearMemory",
                                        "SilentLogger",
                                        "Namespace",
                                        "Lanes")
                                .contains(name))))
                .and(DescribedPredicate.not(resideInAnyPackage(module("bench"))))
                .should()
                .dependOnClassesThat(resideInAPackage("java.lang.foreign.."))
                .check(CLASSES);
    }

    @Test
    void onlyTheCommandLineSpeaksToTheTerminal() {
        noClasses()
                .that(DescribedPredicate.not(resideInAnyPackage(module("cli"), module("bench"), module("conformance")))
                        .and(DescribedPredicate.not(outermost(
                                "are mains, or write the log",
                                name -> Set.of("Main", "Cell", "JsonLog").contains(name)))))
                .should()
                .accessFieldWhere(describe(
                        "System.out or System.err",
                        access -> access.getTarget().getOwner().isEquivalentTo(System.class)
                                && access.getTarget().getName().matches("out|err")))
                .check(CLASSES);
    }

    @Test
    void onlyTheWiringKnowsTheTimeByItself() {
        noClasses()
                .that(resideInAnyPackage(
                        module("core"),
                        module("engine"),
                        module("store"),
                        module("egress"),
                        module("backends"),
                        module("server")))
                .and(DescribedPredicate.not(outermost(
                        "are the wiring or the log", name -> WIRING.contains(name) || name.equals("JsonLog"))))
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Clock.class, "systemUTC")
                .orShould()
                .callMethod(Clock.class, "systemDefaultZone")
                .check(CLASSES);
    }
}
