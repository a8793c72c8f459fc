package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A real cell, spoken to over a real socket: what guests do, and what ends them.
class CellIT {
    private static final long EXITED = 1;
    private static final long TIMED_OUT = 2;
    private static final long OUT_OF_MEMORY = 3;
    private static final long KILLED_BY_POLICY = 4;
    private static final long KILLED = 5;

    private static TestHost host;

    @BeforeAll
    static void start() throws Exception {
        host = new TestHost(
                TestDist.make(),
                System.getProperty("java.class.path"),
                List.of("-XX:+UseSerialGC", "-Xmx512m"),
                List.of("--warm", "python=2,javascript=1,isolate=1"));
        // The first runs of a cell without an AOT cache pay for loading classes; what follows measures limits.
        try (HostConnection sandbox = sandbox()) {
            limited(sandbox, "while True: pass", Tag.WALL_MILLIS, 300);
        }
    }

    @AfterAll
    static void stop() throws Exception {
        host.close();
    }

    private static HostConnection sandbox() {
        return host.spawn(Tier.WASM, Fields.builder());
    }

    private static Fields.Builder code(String language, String code) {
        return Fields.builder().text(Tag.LANGUAGE, language).text(Tag.CODE, code);
    }

    private static HostConnection.Call python(HostConnection sandbox, String code) {
        return sandbox.open(RequestKind.PROCESS, code("python", code).number(Tag.WALL_MILLIS, 20_000));
    }

    private static long outcome(Fields close) {
        assertThat(close.text(Tag.MESSAGE)).isEmpty();
        return close.requiredNumber(Tag.OUTCOME);
    }

    private static void assertExited(HostConnection.Call call, int code) {
        Fields close = call.await();
        assertThat(outcome(close)).as(call.err()).isEqualTo(EXITED);
        assertThat(close.requiredNumber(Tag.EXIT_CODE)).as(call.err()).isEqualTo(code);
    }

    @Test
    void runsPython() {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call call = python(sandbox, "print(1+1)");
            assertExited(call, 0);
            assertThat(call.out()).isEqualTo("2\n");
            assertThat(call.await().requiredNumber(Tag.USED_OUTPUT_BYTES)).isEqualTo(2);
        }
    }

    @Test
    void soonHasAHashSeedThatIsNotTheBuilds() throws Exception {
        String randomised = "";
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60); System.nanoTime() < end; Thread.sleep(100)) {
            try (HostConnection sandbox = host.spawn(Tier.WASM, Language.PYTHON)) {
                HostConnection.Call call = python(sandbox, "import sys; print(sys.flags.hash_randomization)");
                assertExited(call, 0);
                randomised = call.out();
                if (randomised.equals("1\n")) {
                    return;
                }
            }
        }
        assertThat(randomised).isEqualTo("1\n");
    }

    @Test
    void runsJavaScriptInBothTiers() {
        for (Tier tier : List.of(Tier.WASM, Tier.ISOLATE)) {
            try (HostConnection sandbox = host.spawn(tier, Language.JAVASCRIPT)) {
                HostConnection.Call call =
                        sandbox.open(RequestKind.PROCESS, code("javascript", "console.log('a', 1 + 1)"));
                assertExited(call, 0);
                assertThat(call.out()).isEqualTo("a 2\n");
            }
        }
    }

    @Test
    void reportsExceptionsAndExitStatuses() {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call failed = python(sandbox, "1/0");
            assertExited(failed, 1);
            assertThat(failed.err()).contains("ZeroDivisionError: division by zero");
            assertThat(failed.results())
                    .singleElement()
                    .satisfies(error ->
                            assertThat(error.requiredText(Tag.ERROR_NAME)).isEqualTo("ZeroDivisionError"));
            assertExited(python(sandbox, "import sys; sys.exit(7)"), 7);
            assertExited(python(sandbox, "import os; os._exit(9)"), 9);
            HostConnection.Call thrown =
                    sandbox.open(RequestKind.PROCESS, code("javascript", "throw new TypeError('x')"));
            assertExited(thrown, 1);
            assertThat(thrown.err()).contains("TypeError: x");
            assertExited(sandbox.open(RequestKind.PROCESS, code("javascript", "process.exit(3)")), 3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "f = open('out', 'w'); f.write('kept')",
                "f = open('out', 'w'); f.write('kept'); import sys; sys.exit(0)",
                "f = open('out', 'wb'); f.write(b'kept')\ndef g(): return f",
                "f = open('out', 'w'); f.write('kept')\ndef g(): return f\nx = [[] for _ in range(1990)]",
                "import builtins; builtins.f = open('out', 'w'); f.write('kept')",
                "import sys; sys.stdout = open('out', 'w'); print('kept', end='')"
            })
    void whatAPythonProgramWroteToAFileThatItLeftOpenIsThere(String program) {
        try (HostConnection sandbox = sandbox()) {
            assertExited(python(sandbox, program), 0);
            HostConnection.Call read = python(sandbox, "print(open('out').read())");
            assertExited(read, 0);
            assertThat(read.out()).isEqualTo("kept\n");
        }
    }

    @Test
    void aPythonProgramThatLeavesAFileOpenKeepsItsExitStatus() {
        try (HostConnection sandbox = sandbox()) {
            assertExited(python(sandbox, "f = open('out', 'w'); f.write('x'); import sys; sys.exit(5)"), 5);
            assertExited(python(sandbox, "f = open('out', 'w'); f.write('x'); 1/0"), 1);
        }
    }

    @Test
    void passesArgumentsEnvironmentDirectoryAndStandardInput() {
        try (HostConnection sandbox = sandbox()) {
            sandbox.open(RequestKind.CONFIGURE, Fields.builder().text(Tag.ENVIRONMENT, "A=1"));
            HostConnection.Call call = sandbox.open(
                    RequestKind.PROCESS,
                    Fields.builder()
                            .texts(
                                    Tag.ARGUMENT,
                                    List.of(
                                            "python",
                                            "-c",
                                            "import os,sys; print(sys.argv[1:], os.environ['A'], os.environ['B'],"
                                                    + " os.getcwd(), input(), sys.stdin.read())",
                                            "x"))
                            .text(Tag.ENVIRONMENT, "B=2")
                            .text(Tag.DIRECTORY, "/tmp")
                            .flag(Tag.STDIN_OPEN, true));
            call.write(Protocol.STDIN, "line\nmore".getBytes(StandardCharsets.UTF_8));
            call.end(Protocol.STDIN);
            assertExited(call, 0);
            assertThat(call.out()).isEqualTo("['x'] 1 2 /tmp line more\n");
        }
    }

    @Test
    void takesCodeThatIsLongerThanAFrame() {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call call = python(sandbox, "x = '" + "y".repeat(1_000_000) + "'\nprint(len(x))");
            assertExited(call, 0);
            assertThat(call.out()).isEqualTo("1000000\n");
        }
    }

    @Test
    void contextsKeepStateAndShowResults() {
        try (HostConnection sandbox = sandbox()) {
            for (String language : List.of("python", "javascript")) {
                assertThat(open(sandbox, language, language)).isEqualTo(Status.OK.code());
                execute(sandbox, language, language.equals("python") ? "x = 20" : "let x = 20");
                HostConnection.Call call = execute(sandbox, language, "x + 22");
                assertThat(call.results()).singleElement().satisfies(result -> {
                    assertThat(result.flag(Tag.MAIN_RESULT)).isTrue();
                    assertThat(result.texts(Tag.MIME_CONTENT)).contains("42");
                });
                HostConnection.Call failed = execute(sandbox, language, "nope");
                assertThat(failed.await().requiredNumber(Tag.EXIT_CODE)).isEqualTo(1);
                assertThat(failed.await().flag(Tag.CONTEXT_LOST)).isFalse();
            }
            assertThat(open(sandbox, "python", "python")).isEqualTo(Status.ALREADY_EXISTS.code());
            assertThat(close(sandbox, "python")).isEqualTo(Status.OK.code());
            assertThat(close(sandbox, "python")).isEqualTo(Status.NOT_FOUND.code());
        }
    }

    private static long open(HostConnection sandbox, String name, String language) {
        return sandbox.open(
                        RequestKind.CONTEXT_OPEN,
                        Fields.builder().text(Tag.CONTEXT, name).text(Tag.LANGUAGE, language))
                .await()
                .requiredNumber(Tag.STATUS);
    }

    private static long close(HostConnection sandbox, String name) {
        return sandbox.open(RequestKind.CONTEXT_CLOSE, Fields.builder().text(Tag.CONTEXT, name))
                .await()
                .requiredNumber(Tag.STATUS);
    }

    private static HostConnection.Call execute(HostConnection sandbox, String name, String code) {
        HostConnection.Call call = sandbox.open(
                RequestKind.EXECUTE,
                Fields.builder().text(Tag.CONTEXT, name).text(Tag.CODE, code).number(Tag.WALL_MILLIS, 20_000));
        call.await();
        return call;
    }

    @Test
    void anInterruptedContextLives() throws Exception {
        try (HostConnection sandbox = sandbox()) {
            open(sandbox, "c", "python");
            for (String code : List.of("y = 1\nwhile True: pass", "import time; time.sleep(30)")) {
                HostConnection.Call call = sandbox.open(
                        RequestKind.EXECUTE,
                        Fields.builder().text(Tag.CONTEXT, "c").text(Tag.CODE, code));
                awaitStart(call);
                call.control(Fields.builder().flag(Tag.INTERRUPT, true).build());
                Fields close = call.await();
                assertThat(outcome(close)).isEqualTo(EXITED);
                assertThat(close.flag(Tag.CONTEXT_LOST)).isFalse();
                assertThat(call.results())
                        .singleElement()
                        .satisfies(error ->
                                assertThat(error.requiredText(Tag.ERROR_NAME)).isEqualTo("KeyboardInterrupt"));
            }
            assertThat(execute(sandbox, "c", "y").results()).hasSize(1);
        }
    }

    @Test
    void aGuestThatIgnoresInterruptsIsEnded() throws Exception {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call call =
                    python(sandbox, "while True:\n  try:\n    while True: pass\n  except KeyboardInterrupt: pass");
            awaitStart(call);
            call.control(Fields.builder().number(Tag.SIGNAL, 2).build());
            Fields close = call.await();
            assertThat(outcome(close)).isEqualTo(KILLED);
            assertThat(close.requiredText(Tag.REASON)).contains("did not heed");
        }
    }

    private static void awaitStart(HostConnection.Call call) throws InterruptedException {
        while (call.startedNanos == 0) {
            Thread.sleep(1);
        }
        Thread.sleep(50);
    }

    @Test
    void everyLimitBitesAndOnlyTheGuestThatPassedIt() {
        try (HostConnection sandbox = sandbox();
                HostConnection neighbour = sandbox()) {
            HostConnection.Call patient = python(neighbour, "import time; time.sleep(1); print('still here')");
            Fields wall = limited(sandbox, "while True: pass", Tag.WALL_MILLIS, 200);
            assertThat(outcome(wall)).isEqualTo(TIMED_OUT);
            assertThat(wall.requiredNumber(Tag.WALL_MILLIS)).isEqualTo(200);
            assertThat(wall.requiredNumber(Tag.USED_WALL_MICROS)).isBetween(200_000L, 1_000_000L);
            Fields asleep = limited(sandbox, "import time; time.sleep(60)", Tag.WALL_MILLIS, 200);
            assertThat(outcome(asleep)).isEqualTo(TIMED_OUT);
            Fields cpu = limited(sandbox, "while True: pass", Tag.CPU_MILLIS, 100);
            assertThat(outcome(cpu)).isEqualTo(TIMED_OUT);
            assertThat(cpu.requiredNumber(Tag.CPU_MILLIS)).isEqualTo(100);
            Fields memory =
                    limited(sandbox, "x=[]\nwhile True: x.append(bytearray(1<<20))", Tag.MEMORY_BYTES, 64L << 20);
            assertThat(outcome(memory)).isEqualTo(OUT_OF_MEMORY);
            assertThat(memory.requiredNumber(Tag.MEMORY_BYTES)).isEqualTo(64L << 20);
            Fields huge = limited(sandbox, "bytearray(1 << 31 - 1)", Tag.MEMORY_BYTES, 64L << 20);
            assertThat(outcome(huge)).isEqualTo(OUT_OF_MEMORY);
            Fields output = limited(sandbox, "while True: print('x' * 1000)", Tag.OUTPUT_BYTES, 100_000);
            assertThat(outcome(output)).isEqualTo(KILLED_BY_POLICY);
            assertThat(output.requiredText(Tag.RULE)).isEqualTo("limits.output");
            assertThat(output.requiredNumber(Tag.USED_OUTPUT_BYTES)).isEqualTo(100_000);
            assertExited(patient, 0);
            assertThat(patient.out()).isEqualTo("still here\n");
        }
    }

    private static Fields limited(HostConnection sandbox, String code, Tag limit, long value) {
        return sandbox.open(RequestKind.PROCESS, code("python", code).number(limit, value))
                .await();
    }

    @Test
    void memoryBombsAndDeepRecursionInEveryLanguageLeaveTheCellAlive() {
        String recursion = "function f(n) { return f(n + 1) + 1 } f(0)";
        String bomb = "const x = []; while (true) x.push(new Uint8Array(1 << 20).fill(1))";
        try (HostConnection wasm = sandbox();
                HostConnection isolate = host.spawn(Tier.ISOLATE, Fields.builder())) {
            assertExited(python(wasm, "def f(): f()\nf()"), 1);
            for (HostConnection sandbox : List.of(wasm, isolate)) {
                assertExited(sandbox.open(RequestKind.PROCESS, code("javascript", recursion)), 1);
                Fields close = sandbox.open(RequestKind.PROCESS, code("javascript", bomb))
                        .await();
                assertThat(outcome(close)).isEqualTo(OUT_OF_MEMORY);
            }
            assertExited(python(wasm, "print('alive')"), 0);
        }
    }

    @Test
    void aTimedOutExecutionKeepsItsContextIfItHeeds() {
        try (HostConnection sandbox = sandbox()) {
            open(sandbox, "c", "python");
            execute(sandbox, "c", "x = 5");
            HostConnection.Call call = sandbox.open(
                    RequestKind.EXECUTE,
                    Fields.builder()
                            .text(Tag.CONTEXT, "c")
                            .text(Tag.CODE, "import time\ntime.sleep(60)")
                            .number(Tag.WALL_MILLIS, 100));
            Fields close = call.await();
            assertThat(outcome(close)).isEqualTo(TIMED_OUT);
            assertThat(close.flag(Tag.CONTEXT_LOST)).isFalse();
            assertThat(execute(sandbox, "c", "x").results()).hasSize(1);
        }
    }

    @Test
    void killsBySignalAndByCancel() throws Exception {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call signalled = python(sandbox, "while True: pass");
            awaitStart(signalled);
            signalled.control(Fields.builder().number(Tag.SIGNAL, 9).build());
            assertThat(outcome(signalled.await())).isEqualTo(KILLED);
            HostConnection.Call cancelled = python(sandbox, "import time; time.sleep(60)");
            awaitStart(cancelled);
            cancelled.cancel();
            assertThat(cancelled.await().requiredNumber(Tag.STATUS)).isEqualTo(Status.CANCELLED.code());
        }
    }

    @Test
    void aGuestWhoseOutputNobodyReadsWaitsAloneAndEndsAtItsLimit() {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call stuck = sandbox.open(
                    RequestKind.PROCESS,
                    code("python", "while True: print('x' * 1000)").number(Tag.WALL_MILLIS, 1500));
            stuck.greedy = false;
            assertExited(python(sandbox, "print('free')"), 0);
            assertThat(outcome(stuck.await())).isEqualTo(TIMED_OUT);
            assertThat(stuck.out().length()).isLessThanOrEqualTo(Protocol.INITIAL_CREDIT_BYTES);
        }
    }

    @Test
    void filesWorkWhileAGuestRuns() throws Exception {
        try (HostConnection sandbox = sandbox()) {
            HostConnection.Call waiting = python(
                    sandbox,
                    "import os,time\nwhile not os.path.exists('/tmp/go'): time.sleep(0.01)\n"
                            + "print(open('/tmp/go').read()); open('/tmp/back','w').write('done')");
            awaitStart(waiting);
            assertThat(write(sandbox, "/tmp/go", "from the host".getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(Status.OK.code());
            assertExited(waiting, 0);
            assertThat(waiting.out()).isEqualTo("from the host\n");
            HostConnection.Call read =
                    sandbox.open(RequestKind.READ, Fields.builder().text(Tag.PATH, "/tmp/back"));
            assertThat(read.await().requiredNumber(Tag.FILE_SIZE)).isEqualTo(4);
            assertThat(read.content.toString(StandardCharsets.UTF_8)).isEqualTo("done");
        }
    }

    private static long write(HostConnection sandbox, String path, byte[] content) {
        HostConnection.Call call =
                sandbox.open(RequestKind.WRITE, Fields.builder().text(Tag.PATH, path));
        for (int at = 0; at < content.length; at += 60_000) {
            byte[] part = java.util.Arrays.copyOfRange(content, at, Math.min(content.length, at + 60_000));
            call.write(Protocol.CONTENT, part);
        }
        call.end(Protocol.CONTENT);
        return call.await().requiredNumber(Tag.STATUS);
    }

    @Test
    void fileRequestsAnswerWithTheRightStatus() {
        try (HostConnection sandbox = sandbox()) {
            assertThat(status(sandbox, RequestKind.STAT, "/nope")).isEqualTo(Status.NOT_FOUND.code());
            assertThat(status(sandbox, RequestKind.MAKE_DIRECTORY, "/home/user/d"))
                    .isZero();
            assertThat(status(sandbox, RequestKind.MAKE_DIRECTORY, "/home/user/d"))
                    .isEqualTo(Status.ALREADY_EXISTS.code());
            assertThat(status(sandbox, RequestKind.READ, "/home/user/d")).isEqualTo(Status.IS_A_DIRECTORY.code());
            assertThat(write(sandbox, "/home/user/d/f", new byte[200_000])).isZero();
            assertThat(status(sandbox, RequestKind.REMOVE, "/home/user/d")).isEqualTo(Status.NOT_EMPTY.code());
            HostConnection.Call list = sandbox.open(
                    RequestKind.LIST,
                    Fields.builder().text(Tag.PATH, "/home/user").number(Tag.DEPTH, 2));
            assertThat(list.await().requiredNumber(Tag.STATUS)).isZero();
            assertThat(list.results().stream().map(entry -> entry.requiredText(Tag.PATH)))
                    .containsExactly("/home/user/d", "/home/user/d/f");
            Fields moved = sandbox.open(
                            RequestKind.MOVE,
                            Fields.builder().text(Tag.PATH, "/home/user/d/f").text(Tag.TARGET_PATH, "/tmp/g"))
                    .await();
            assertThat(moved.requiredNumber(Tag.FILE_SIZE)).isEqualTo(200_000);
            assertThat(status(sandbox, RequestKind.REMOVE, "/home/user/d")).isZero();
        }
    }

    private static long status(HostConnection sandbox, RequestKind kind, String path) {
        return sandbox.open(kind, Fields.builder().text(Tag.PATH, path)).await().requiredNumber(Tag.STATUS);
    }

    @Test
    void theDiskLimitHolds() {
        try (HostConnection sandbox = host.spawn(Tier.WASM, Fields.builder().number(Tag.DISK_BYTES, 100_000))) {
            assertThat(write(sandbox, "/tmp/big", new byte[200_000])).isEqualTo(Status.NO_SPACE.code());
            HostConnection.Call call = python(sandbox, "open('/tmp/x','wb').write(bytes(200000))");
            assertExited(call, 1);
            assertThat(call.err()).contains("No space left");
        }
    }

    @Test
    void refusesInWordsWhatACellCannotDo() {
        try (HostConnection sandbox = sandbox()) {
            for (RequestKind kind : List.of(RequestKind.WATCH, RequestKind.CONNECT, RequestKind.FREEZE)) {
                Fields close = sandbox.open(kind, Fields.builder()).await();
                assertThat(close.requiredNumber(Tag.STATUS)).isEqualTo(Status.UNSUPPORTED.code());
                assertThat(close.requiredText(Tag.MESSAGE)).contains("gvisor");
            }
            Fields shell = sandbox.open(
                            RequestKind.PROCESS, Fields.builder().texts(Tag.ARGUMENT, List.of("bash", "-c", "ls")))
                    .await();
            assertThat(shell.requiredNumber(Tag.STATUS)).isEqualTo(Status.UNSUPPORTED.code());
            Fields small = limited(sandbox, "1", Tag.MEMORY_BYTES, 16L << 20);
            assertThat(small.requiredNumber(Tag.STATUS)).isEqualTo(Status.INVALID.code());
            assertThat(small.requiredText(Tag.MESSAGE)).contains("Python needs at least");
            Fields missing = sandbox.open(RequestKind.STAT, Fields.builder()).await();
            assertThat(missing.requiredNumber(Tag.STATUS)).isEqualTo(Status.INVALID.code());
        }
    }

    @Test
    void runsAWasiModuleFromAFileAndRefusesGarbage() {
        try (HostConnection sandbox = sandbox()) {
            assertThat(write(sandbox, "/home/user/hello.wasm", HelloModule.bytes()))
                    .isZero();
            HostConnection.Call call =
                    sandbox.open(RequestKind.PROCESS, Fields.builder().texts(Tag.ARGUMENT, List.of("hello.wasm")));
            assertExited(call, 0);
            assertThat(call.out()).isEqualTo("hello\n");
            HostConnection.Call garbage = sandbox.open(
                    RequestKind.PROCESS,
                    Fields.builder().text(Tag.LANGUAGE, "wasm").bytes(Tag.CODE, new byte[100]));
            assertExited(garbage, 126);
        }
    }

    @Test
    void aBrokenPeerEndsItsOwnConnectionOnly() throws Exception {
        try (HostConnection broken = sandbox();
                HostConnection other = sandbox()) {
            broken.send(new Frame(FrameType.CLOSE, 0, 1, new byte[0]));
            assertThat(broken.goodbye.get(5, TimeUnit.SECONDS)).contains("CLOSE");
            assertExited(python(other, "print(1)"), 0);
        }
    }

    @Test
    void twoHundredSandboxesLiveAtOnce() {
        List<HostConnection> all = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                HostConnection sandbox = sandbox();
                all.add(sandbox);
                assertThat(open(sandbox, "c", "python")).isZero();
                execute(sandbox, "c", "me = " + i);
            }
            for (int i = 0; i < 200; i += 13) {
                HostConnection.Call call = execute(all.get(i), "c", "me");
                assertThat(call.results())
                        .singleElement()
                        .satisfies(result ->
                                assertThat(result.texts(Tag.MIME_CONTENT)).isNotEmpty());
            }
        } finally {
            all.forEach(HostConnection::close);
        }
    }

    @Test
    void oneSandboxNeverSeesAnothersMemoryOrFiles() {
        String secret = "glovebox-secret-" + System.nanoTime();
        try (HostConnection first = sandbox()) {
            assertExited(python(first, "x = '" + secret + "' * 1000; open('/tmp/s','w').write(x)"), 0);
        }
        for (int i = 0; i < 8; i++) {
            try (HostConnection next = sandbox()) {
                HostConnection.Call call = python(
                        next,
                        "import os,gc\nprint(os.path.exists('/tmp/s'), any('" + secret.substring(0, 10)
                                + "' + '" + secret.substring(10) + "' in o for o in gc.get_objects()"
                                + " if isinstance(o, str)))");
                assertExited(call, 0);
                assertThat(call.out()).isEqualTo("False False\n");
            }
        }
    }
}
