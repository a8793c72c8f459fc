package dev.glovebox.cell.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import dev.glovebox.cell.Program;
import dev.glovebox.cell.TestDist;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.isolate.V8Library;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The hash seed of Python, with the real module: new images are new, and nothing else about them is.
class PythonRenewalIT {
    private static final String HASH = "print(hash('abc'), hash(b'abc'))";
    private static final SecureRandom RANDOM = new SecureRandom();

    private static Path guest;
    private static byte[] module;
    private static PythonLibrary library;
    private static StartMemory start;

    @BeforeAll
    static void load() throws Exception {
        Path dist = TestDist.make();
        V8Library.load(dist.resolve("native"));
        guest = dist.resolve("guest");
        module = Files.readAllBytes(guest.resolve("python.wasm"));
        start = StartMemory.open(guest.resolve("python-start.wasm"));
        // The archive's entries are deflated here, which is slower and as good.
        library = PythonLibrary.open(guest.resolve("python313.zip"));
    }

    private static PythonSource source(Duration ageMax) {
        return new PythonSource(module, start, library, InstantSource.system(), RANDOM, ageMax);
    }

    private static InterpreterHome home() {
        MemoryFileSystem files = new MemoryFileSystem(ResourceLimits.DEFAULT, InstantSource.system(), RANDOM);
        library.mountIn(files);
        return new InterpreterHome(files, ResourceLimits.DEFAULT, InstantSource.system(), RANDOM);
    }

    private static String run(InterpreterSource source, String code) {
        return run(source.create(home()), code);
    }

    private static String run(Interpreter fresh, String code) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Interpreter interpreter = fresh) {
            byte[] bytes = code.getBytes(StandardCharsets.UTF_8);
            Outcome outcome = interpreter.run(
                    new Program(bytes, "main.py", List.of("main.py"), Map.of(), GuestPath.HOME), new Kept(out));
            String text = out.toString(StandardCharsets.UTF_8).strip();
            assertThat(outcome).as(text).isEqualTo(new Outcome.Exited(0));
            return text;
        }
    }

    @Test
    void everyImageHasASeedOfItsOwnAndAllItsInstancesShareIt() {
        try (PythonSource one = source(Duration.ZERO);
                PythonSource other = source(Duration.ZERO)) {
            String shipped = run(one, HASH);
            assertThat(run(other, HASH)).isEqualTo(shipped);
            assertThat(one.renew()).isTrue();
            assertThat(other.renew()).isTrue();
            String first = run(one, HASH);
            assertThat(first).isNotEqualTo(shipped).isEqualTo(run(one, HASH));
            assertThat(run(other, HASH)).isNotEqualTo(shipped).isNotEqualTo(first);
            assertThat(one.renew()).isTrue();
            assertThat(run(one, HASH)).isNotEqualTo(shipped).isNotEqualTo(first);
        }
    }

    @Test
    void aSeedIsRenewedWhenItIsOldAndHasServedSomebody() {
        try (PythonSource source = source(Duration.ZERO)) {
            assertThat(source.renew()).isTrue();
            assertThat(source.renew()).as("nobody had it").isFalse();
            run(source, "pass");
            assertThat(source.renew()).isTrue();
            source.prepare().claim(home()).close();
            assertThat(source.renew()).isTrue();
            source.prepare().close();
            assertThat(source.renew()).as("the pool is nobody").isFalse();
        }
        try (PythonSource source = source(Duration.ofHours(1))) {
            assertThat(source.renew()).as("the first is made at once").isTrue();
            run(source, "pass");
            assertThat(source.renew()).as("it is young").isFalse();
        }
    }

    @Test
    void warmInterpretersOfTheImageBeforeSayThatTheyAreOutdatedAndStillWork() {
        try (PythonSource source = source(Duration.ZERO)) {
            String shipped = run(source, HASH);
            InterpreterSource.Warm before = source.prepare();
            assertThat(before.isCurrent()).isTrue();
            source.renew();
            assertThat(before.isCurrent()).isFalse();
            InterpreterSource.Warm after = source.prepare();
            assertThat(after.isCurrent()).isTrue();
            assertThat(run(before.claim(home()), HASH)).isEqualTo(shipped);
            assertThat(run(after.claim(home()), HASH)).isNotEqualTo(shipped);
        }
    }

    @Test
    void theLibraryWorksUnderANewSeed() {
        try (PythonSource source = source(Duration.ZERO)) {
            String imported = "import sys; print(len(sys.modules), *sorted(sys.modules), *sys.path)";
            String shipped = run(source, imported);
            source.renew();
            assertThat(run(source, imported)).isEqualTo(shipped);
            assertThat(run(source, """
                    import abc, asyncio, builtins, collections, dataclasses, datetime, decimal, enum, json, re, sys, typing
                    import unicodedata, weakref, xml.etree.ElementTree as tree
                    for module in list(sys.modules.values()):
                        names = vars(module)
                        for name in list(names):
                            assert "".join(list(name)) in names, name
                            assert getattr(module, "".join(list(name))) is names[name], name
                    assert {"".join(list(name)) for name in vars(builtins)} == set(vars(builtins))
                    assert sys.intern("".join(["js", "on"])) is sys.intern("json")
                    assert issubclass(dict, collections.abc.Mapping) and not issubclass(int, collections.abc.Mapping)
                    @dataclasses.dataclass(frozen=True)
                    class P:
                        x: int
                        y: str = "a"
                    assert {P(1): 2}[P(1, "a")] == 2
                    class Colour(enum.Enum):
                        RED = "red"
                    assert Colour("red") is Colour.RED and Colour["RED"].value == "red"
                    assert json.loads(json.dumps({"k": [1, {"z": None}]}))["k"][1] == {"z": None}
                    assert re.sub(r"(?P<n>\\d+)", r"<\\g<n>>", "a1b22") == "a<1>b<22>"
                    async def main():
                        return await asyncio.gather(asyncio.sleep(0, "x"), asyncio.sleep(0, "y"))
                    assert asyncio.run(main()) == ["x", "y"]
                    assert unicodedata.name("€") == "EURO SIGN" and "日本".encode("shift_jis") == b"\\x93\\xfa\\x96{"
                    assert tree.fromstring("<a><b c='d'/></a>")[0].get("c") == "d"
                    def deep(): deep()
                    try: deep()
                    except RecursionError: pass
                    try: import numpy
                    except ModuleNotFoundError as e: assert "the wasm tier has no native extension modules" in str(e)
                    assert display.__doc__
                    print("fine")""")).isEqualTo("fine");
        }
    }

    @Test
    void whatIsRandomDiffersBetweenInstancesOfOneImage() {
        String code = "import random, uuid, secrets, os\n"
                + "print(random.random(), uuid.uuid4(), secrets.token_hex(8), os.urandom(8))";
        try (PythonSource source = source(Duration.ofHours(1))) {
            source.renew();
            String[] one = run(source, code).split(" ", -1);
            String[] other = run(source, code).split(" ", -1);
            for (int i = 0; i < 4; i++) {
                assertThat(one[i]).isNotEqualTo(other[i]);
            }
        }
    }

    @Test
    void aStartThatFailsLeavesTheImageInUse(@TempDir Path directory) throws Exception {
        byte[] bytes = Files.readAllBytes(guest.resolve("python-start.wasm"));
        // Past the head, so that it is still a module: its data is not what Python needs.
        for (int i = 1000; i < bytes.length; i++) {
            bytes[i] = 0;
        }
        Path broken = Files.write(directory.resolve("broken.wasm"), bytes);
        try (PythonSource source = new PythonSource(
                module, StartMemory.open(broken), library, InstantSource.system(), RANDOM, Duration.ofMinutes(10))) {
            String shipped = run(source, HASH);
            assertThatThrownBy(source::renew).isInstanceOf(IllegalStateException.class);
            assertThat(source.renew()).as("not again at once").isFalse();
            assertThat(run(source, HASH)).isEqualTo(shipped);
            assertThat(run(source.prepare().claim(home()), HASH)).isEqualTo(shipped);
        }
    }

    private record Kept(ByteArrayOutputStream out) implements GuestStreams {
        @Override
        public int read(byte[] target, int offset, int length) {
            return -1;
        }

        @Override
        public void stdout(byte[] bytes, int offset, int length) {
            out.write(bytes, offset, length);
        }

        @Override
        public void stderr(byte[] bytes, int offset, int length) {
            out.write(bytes, offset, length);
        }

        @Override
        public void result(MimeBundle bundle) {}

        @Override
        public void error(ExecutionError error) {}
    }
}
