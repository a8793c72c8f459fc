package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.ProcessId;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Requests that run no guest code. Executions are in [ExecutionCallTest].
@Timeout(60)
class AgentSandboxTest {
    private static final GuestPath FILE = new GuestPath("/home/user/a.txt");
    private static final ContextId CONTEXT = new ContextId("c1");
    private static final Patience SHORT =
            new Patience(Duration.ofMillis(150), Duration.ofMillis(150), Duration.ofMillis(150));

    @TempDir
    Path directory;

    private AgentBench bench;
    private AgentSandbox sandbox;

    @BeforeEach
    void open() throws IOException {
        bench = AgentBench.open(directory);
        sandbox = bench.sandbox();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    // ---- every request's fields and answer

    @Test
    void asksForTheStateOfAFile() throws Exception {
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(FILE));
        Frame open = bench.agent.receiveOpen(RequestKind.STAT);
        assertThat(text(open, Tag.PATH)).isEqualTo("/home/user/a.txt");
        answer(open, file("/home/user/a.txt"));
        assertThat(AgentBench.result(stat))
                .isEqualTo(
                        new FileEntry("/home/user/a.txt", FileEntry.Type.FILE, 5, 0644, Instant.ofEpochSecond(2), ""));
    }

    @Test
    void passesPathsWithEscapesAsData() throws Exception {
        String path = "/a\u001b[2J\u202e\n";
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(new GuestPath(path)));
        Frame open = bench.agent.receiveOpen(RequestKind.STAT);
        assertThat(text(open, Tag.PATH)).isEqualTo(path);
        answer(open, file(path));
        assertThat(AgentBench.result(stat).path()).isEqualTo(path);
    }

    @Test
    void listsADirectoryWhoseRecordsAreCutAnywhere() throws Exception {
        Future<List<FileEntry>> list = bench.host(() -> sandbox.list(GuestPath.HOME, 3));
        Frame open = bench.agent.receiveOpen(RequestKind.LIST);
        assertThat(Fields.decode(open.payload()).number(Tag.DEPTH)).contains(3L);
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        for (int i = 0; i < 50; i++) {
            records.writeBytes(ScriptedAgent.record(file("/f" + i).build()));
        }
        for (byte part : records.toByteArray()) {
            bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.RECORDS, new byte[] {part}));
        }
        bench.agent.send(Frame.of(FrameType.END, Protocol.RECORDS, open.channel()));
        answer(open, ScriptedAgent.ok());
        assertThat(AgentBench.result(list))
                .extracting(FileEntry::path)
                .startsWith("/f0", "/f1")
                .endsWith("/f49");
    }

    @Test
    void refusesAListingThatWouldFillItsMemory() throws Exception {
        Future<List<FileEntry>> list = bench.host(() -> sandbox.list(GuestPath.ROOT, 256));
        Frame open = bench.agent.receiveOpen(RequestKind.LIST);
        byte[] record = ScriptedAgent.record(file("/" + "x".repeat(4000)).build());
        int credit = Protocol.INITIAL_CREDIT_BYTES;
        for (boolean wanted = true; wanted; ) {
            for (; credit >= record.length; credit -= record.length) {
                bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.RECORDS, record));
            }
            Frame frame = bench.agent.receive();
            wanted = frame.type() == FrameType.CREDIT;
            credit += wanted ? ByteBuffer.wrap(frame.payload()).getInt() : 0;
        }
        assertThat(AgentBench.failure(list))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_LARGE))
                .hasMessageContaining("ask for it in parts");
        assertThat(bench.condemned)
                .as("a guest can do that, so its host is not to blame")
                .isEmpty();
    }

    @Test
    void readsAFileAndHoldsTheAgentBackWhileItsSinkIsSlow() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicInteger received = new AtomicInteger();
        Future<FileEntry> read = bench.host(() -> sandbox.read(FILE, bytes -> {
            await(mayGoOn);
            received.addAndGet(bytes.length);
        }));
        answer(bench.agent.receiveOpen(RequestKind.STAT), file("/home/user/a.txt"));
        Frame open = bench.agent.receiveOpen(RequestKind.READ);
        byte[] chunk = new byte[Protocol.PAYLOAD_BYTES_MAX];
        for (int i = 0; i < 4; i++) {
            bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.CONTENT, chunk));
        }
        // The credit is used up. What comes next is the answer to the PING, not credit.
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
        bench.agent.receive(FrameType.PONG);

        mayGoOn.countDown();
        int sent = 4;
        while (sent < 32) {
            int granted = ByteBuffer.wrap(bench.agent.receive(FrameType.CREDIT).payload())
                    .getInt();
            assertThat(granted)
                    .as("more once, and then what was taken")
                    .isLessThanOrEqualTo(sent == 4 ? 1024 * 1024 : received.get());
            for (int i = 0; i < granted / chunk.length && sent < 32; i++) {
                bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.CONTENT, chunk));
                sent++;
            }
        }
        answer(open, ScriptedAgent.ok().number(Tag.FILE_SIZE, 32L * chunk.length));
        assertThat(AgentBench.result(read).path()).isEqualTo("/home/user/a.txt");
        assertThat(received).hasValue(32 * chunk.length);
    }

    @Test
    void writesAFileLargerThanItsCredit() throws Exception {
        byte[] content = new byte[1_000_000];
        new Random(1).nextBytes(content);
        Future<FileEntry> write = bench.host(() -> sandbox.write(FILE, ByteSource.of(content)));
        Frame open = bench.agent.receiveOpen(RequestKind.WRITE);
        assertThat(Fields.decode(open.payload()).flag(Tag.RECURSIVE)).isTrue();
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        for (Frame frame = bench.agent.receive(); frame.type() == FrameType.DATA; frame = bench.agent.receive()) {
            assertThat(frame.stream()).isEqualTo(Protocol.CONTENT);
            got.writeBytes(frame.payload());
            bench.agent.send(ScriptedAgent.credit(open.channel(), Protocol.CONTENT, frame.payload().length));
        }
        answer(open, file("/home/user/a.txt"));
        assertThat(AgentBench.result(write).path()).isEqualTo("/home/user/a.txt");
        assertThat(got.toByteArray()).isEqualTo(content);
    }

    @Test
    void writesAnEmptyFile() throws Exception {
        Future<FileEntry> write = bench.host(() -> sandbox.write(FILE, ByteSource.of(new byte[0])));
        Frame open = bench.agent.receiveOpen(RequestKind.WRITE);
        assertThat(bench.agent.receive(FrameType.END).stream()).isEqualTo(Protocol.CONTENT);
        answer(open, file("/home/user/a.txt"));
        AgentBench.result(write);
    }

    @Test
    void stopsToReadItsSourceWhenTheAgentRefusesTheFile() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        ByteSource endless = target -> {
            reads.incrementAndGet();
            return target.length;
        };
        Future<FileEntry> write = bench.host(() -> sandbox.write(FILE, endless));
        Frame open = bench.agent.receiveOpen(RequestKind.WRITE);
        refuse(open, Status.NO_SPACE, "the disk quota of 64 MiB is used up");
        assertThat(AgentBench.failure(write))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NO_SPACE))
                .hasMessage(FILE + ": the disk quota of 64 MiB is used up");
        assertThat(reads.get()).isLessThan(10);
    }

    @Test
    void givesAWriteUpWhoseSourceFails() throws Exception {
        ByteSource broken = _ -> {
            throw new IllegalStateException("the client went away");
        };
        Future<FileEntry> write = bench.host(() -> sandbox.write(FILE, broken));
        Frame open = bench.agent.receiveOpen(RequestKind.WRITE);
        assertThat(AgentBench.failure(write)).hasMessage("the client went away");
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(open.channel());
        refuse(open, Status.CANCELLED, "it was cancelled");
        assertStillGood();
    }

    @Test
    void makesMovesAndRemoves() throws Exception {
        Future<FileEntry> made = bench.host(() -> sandbox.makeDirectory(new GuestPath("/a/b")));
        Frame open = bench.agent.receiveOpen(RequestKind.MAKE_DIRECTORY);
        assertThat(text(open, Tag.PATH)).isEqualTo("/a/b");
        assertThat(Fields.decode(open.payload()).flag(Tag.RECURSIVE)).isTrue();
        answer(open, file("/a/b"));
        assertThat(AgentBench.result(made).path()).isEqualTo("/a/b");

        Future<FileEntry> moved = bench.host(() -> sandbox.move(new GuestPath("/a/b"), new GuestPath("/c")));
        open = bench.agent.receiveOpen(RequestKind.MOVE);
        assertThat(text(open, Tag.PATH)).isEqualTo("/a/b");
        assertThat(text(open, Tag.TARGET_PATH)).isEqualTo("/c");
        answer(open, file("/c"));
        assertThat(AgentBench.result(moved).path()).isEqualTo("/c");

        Future<?> removed = run(() -> sandbox.remove(new GuestPath("/c")));
        open = bench.agent.receiveOpen(RequestKind.REMOVE);
        assertThat(text(open, Tag.PATH)).isEqualTo("/c");
        assertThat(Fields.decode(open.payload()).flag(Tag.RECURSIVE)).isTrue();
        answer(open, ScriptedAgent.ok());
        AgentBench.result(removed);
    }

    @Test
    void asksForTheFirstThingBehindTheSettingsWithoutTheirAnswer() throws Exception {
        sandbox.configureAhead(Fields.builder().text(Tag.SANDBOX, "i1").build());
        Future<FileEntry> first = bench.host(() -> sandbox.stat(FILE));
        Future<?> ready = run(() -> sandbox.awaitReady());
        Frame settings = bench.agent.receiveOpen(RequestKind.CONFIGURE);
        Frame stat = bench.agent.receiveOpen(RequestKind.STAT);
        assertThat(ready).isNotDone();
        answer(settings, ScriptedAgent.ok());
        AgentBench.result(ready);
        answer(stat, ScriptedAgent.ok().text(Tag.PATH, FILE.value()).number(Tag.FILE_TYPE, 1));
        assertThat(AgentBench.result(first).path()).isEqualTo(FILE.value());
        AgentBench.result(run(() -> sandbox.awaitReady()));
    }

    @Test
    void nobodyUsesASandboxWhoseSettingsAreRefused() throws Exception {
        sandbox.configureAhead(Fields.builder().text(Tag.SANDBOX, "i1").build());
        Future<FileEntry> first = bench.host(() -> sandbox.stat(FILE));
        Frame settings = bench.agent.receiveOpen(RequestKind.CONFIGURE);
        bench.agent.receiveOpen(RequestKind.STAT);
        bench.agent.send(ScriptedAgent.close(
                settings.channel(),
                Fields.builder()
                        .number(Tag.STATUS, Status.INVALID.code())
                        .text(Tag.MESSAGE, "no")
                        .build()));
        assertThat(AgentBench.failure(first)).isInstanceOf(GloveboxException.class);
        assertThat(bench.condemnation()).contains("no");
        assertThatThrownBy(() -> sandbox.awaitReady()).isInstanceOf(GloveboxException.class);
    }

    @Test
    void configuresAndOpensAndClosesContexts() throws Exception {
        Future<?> configured = run(
                () -> sandbox.configure(Fields.builder().text(Tag.SANDBOX, "i1").build()));
        Frame open = bench.agent.receiveOpen(RequestKind.CONFIGURE);
        assertThat(text(open, Tag.SANDBOX)).isEqualTo("i1");
        answer(open, ScriptedAgent.ok());
        AgentBench.result(configured);

        Future<?> opened = run(() -> sandbox.openContext(CONTEXT, Language.PYTHON, GuestPath.HOME));
        open = bench.agent.receiveOpen(RequestKind.CONTEXT_OPEN);
        assertThat(text(open, Tag.CONTEXT)).isEqualTo("c1");
        assertThat(text(open, Tag.LANGUAGE)).isEqualTo("python");
        assertThat(text(open, Tag.DIRECTORY)).isEqualTo("/home/user");
        answer(open, ScriptedAgent.ok().flag(Tag.POOLED, true));
        AgentBench.result(opened);

        Future<?> closed = run(() -> sandbox.closeContext(CONTEXT));
        open = bench.agent.receiveOpen(RequestKind.CONTEXT_CLOSE);
        assertThat(text(open, Tag.CONTEXT)).isEqualTo("c1");
        answer(open, ScriptedAgent.ok());
        AgentBench.result(closed);
    }

    @Test
    void closesAContextThatIsGoneAlreadyWithoutComplaint() throws Exception {
        Future<?> closed = run(() -> sandbox.closeContext(CONTEXT));
        refuse(bench.agent.receiveOpen(RequestKind.CONTEXT_CLOSE), Status.NOT_FOUND, "there is no context c1");
        AgentBench.result(closed);

        Future<?> refused = run(() -> sandbox.closeContext(CONTEXT));
        refuse(bench.agent.receiveOpen(RequestKind.CONTEXT_CLOSE), Status.INVALID, "no");
        assertThat(AgentBench.failure(refused)).hasMessage("no");
    }

    @Test
    void interruptsNothingWhereNothingRuns() {
        sandbox.interrupt(CONTEXT);
        assertThatThrownBy(() -> sandbox.signal(new ProcessId(3), 9))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.PROCESS_NOT_FOUND))
                .hasMessage("process 3 does not run");
        assertThatThrownBy(() -> sandbox.writeInput(new ProcessId(3), new byte[1], true))
                .isInstanceOf(GloveboxException.class)
                .hasMessage("process 3 does not run");
    }

    // ---- agents that do what they must not

    static Stream<Arguments> broken() {
        return Stream.of(
                broken(
                        "a state without a path",
                        "field PATH is missing",
                        ScriptedAgent.close(1, ScriptedAgent.ok().build())),
                broken("an end without a status", "field STATUS is missing", ScriptedAgent.close(1, Fields.NONE)),
                broken(
                        "an end that is no fields",
                        "a field's header is cut",
                        new Frame(FrameType.CLOSE, 0, 1, new byte[] {1})),
                broken("content that nobody asked for", "no stream 4", ScriptedAgent.data(1, Protocol.CONTENT, "a")),
                broken(
                        "a path that is not UTF-8",
                        "field PATH is not UTF-8",
                        ScriptedAgent.close(
                                1,
                                ScriptedAgent.ok()
                                        .bytes(Tag.PATH, new byte[] {-1})
                                        .build())));
    }

    private static Arguments broken(String what, String words, Frame frame) {
        return Arguments.of(what, words, frame);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void condemnsTheHostOfAnAgentThatAnswersWith(String what, String words, Frame frame) throws Exception {
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(FILE));
        bench.agent.receiveOpen(RequestKind.STAT);
        bench.agent.send(frame);
        assertThat(AgentBench.failure(stat))
                .as(what)
                .isInstanceOfSatisfying(
                        GloveboxException.class, lost -> assertThat(lost.code()).isEqualTo(ErrorCode.BACKEND_LOST))
                .hasMessageStartingWith("the sandbox is gone: ")
                .hasMessageContaining(words);
        assertThat(bench.condemnation()).contains(words);
    }

    @Test
    void condemnsTheHostOfAListingThatIsNone() throws Exception {
        Future<List<FileEntry>> list = bench.host(() -> sandbox.list(FILE, 1));
        Frame open = bench.agent.receiveOpen(RequestKind.LIST);
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.RECORDS, new byte[] {127, -1, -1, -1}));
        assertThat(AgentBench.failure(list)).hasMessageContaining("a record announces 2147483647 bytes");
        assertThat(bench.condemnation()).contains("a record announces 2147483647 bytes; the bound is 65536");
    }

    @Test
    void condemnsTheHostOfAnAgentThatDoesNotAnswer() throws Exception {
        AgentSandbox impatient = bench.sandbox(SHORT);
        Future<FileEntry> stat = bench.host(() -> impatient.stat(FILE));
        assertThat(AgentBench.failure(stat)).hasMessageStartingWith("the sandbox is gone: it did not answer in");
        assertThat(bench.condemnation()).startsWith("it did not answer");
    }

    @Test
    void condemnsTheHostOfAnAgentThatTakesNoContent() throws Exception {
        AgentSandbox impatient = bench.sandbox(SHORT);
        Future<FileEntry> write = bench.host(() -> impatient.write(FILE, target -> target.length));
        assertThat(AgentBench.failure(write)).hasMessageContaining("the agent took nothing in");
        assertThat(bench.condemnation()).startsWith("the agent took nothing in");
    }

    @Test
    void losesOnlyItselfWhenTheCallerIsInterrupted() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Future<Boolean> interrupted = bench.host(() -> {
            thread.complete(Thread.currentThread());
            try {
                sandbox.stat(FILE);
                return false;
            } catch (GloveboxException gone) {
                assertThat(gone).hasMessage("the caller went away");
                return Thread.interrupted();
            }
        });
        Frame open = bench.agent.receiveOpen(RequestKind.STAT);
        thread.join().interrupt();
        assertThat(AgentBench.result(interrupted))
                .as("the interrupt is passed on")
                .isTrue();
        bench.agent.receive(FrameType.CANCEL);
        refuse(open, Status.CANCELLED, "it was cancelled");
        assertThat(bench.condemned).isEmpty();
        assertStillGood();
    }

    @Test
    void refusesEverythingOnceItIsClosed() throws Exception {
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(FILE));
        bench.agent.receiveOpen(RequestKind.STAT);
        sandbox.close();
        sandbox.close();
        assertThat(AgentBench.failure(stat)).hasMessage("the sandbox is gone: it was ended");
        assertThatThrownBy(() -> sandbox.stat(FILE))
                .isInstanceOfSatisfying(
                        GloveboxException.class, lost -> assertThat(lost.code()).isEqualTo(ErrorCode.BACKEND_LOST));
        bench.agent.awaitEnd();
        assertThat(bench.released.get()).isPositive();
    }

    private Future<?> run(Runnable action) {
        Callable<Boolean> call = () -> {
            action.run();
            return true;
        };
        return bench.host(call);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static String text(Frame open, Tag tag) {
        return Fields.decode(open.payload()).requiredText(tag);
    }

    private static Fields.Builder file(String path) {
        return ScriptedAgent.ok()
                .text(Tag.PATH, path)
                .number(Tag.FILE_TYPE, 1)
                .number(Tag.FILE_SIZE, 5)
                .number(Tag.FILE_MODE, 0644)
                .number(Tag.FILE_MODIFIED, 2_000_000);
    }

    private void answer(Frame open, Fields.Builder close) {
        bench.agent.send(ScriptedAgent.close(open.channel(), close.build()));
    }

    private void refuse(Frame open, Status status, String message) {
        bench.agent.send(ScriptedAgent.close(
                open.channel(),
                Fields.builder()
                        .number(Tag.STATUS, status.code())
                        .text(Tag.MESSAGE, message)
                        .build()));
    }

    private void assertStillGood() throws Exception {
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(FILE));
        answer(bench.agent.receiveOpen(RequestKind.STAT), file("/still/good"));
        assertThat(AgentBench.result(stat).path()).isEqualTo("/still/good");
    }
}
