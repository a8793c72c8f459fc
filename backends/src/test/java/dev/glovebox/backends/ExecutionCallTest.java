package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Processes and executions, from the request to the outcome.
@Timeout(60)
class ExecutionCallTest {
    private static final ProcessId PROCESS = new ProcessId(1);
    private static final ContextId CONTEXT = new ContextId("c1");
    private static final long OUTPUT_BYTES = 1000;
    private static final Patience SHORT =
            new Patience(Duration.ofSeconds(20), Duration.ofMillis(150), Duration.ofMillis(150));

    @TempDir
    Path directory;

    private final RecordingSink sink = new RecordingSink();
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

    @Test
    void runsAProcessAndHandsOnWhatItSaysInItsOrder() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        Frame open = bench.agent.receiveOpen(RequestKind.PROCESS);
        Fields fields = Fields.decode(open.payload());
        assertThat(fields.texts(Tag.ARGUMENT)).containsExactly("main.py", "-x");
        assertThat(fields.texts(Tag.ENVIRONMENT)).containsExactly("A=1", "B=2=3");
        assertThat(fields.text(Tag.LANGUAGE)).contains("python");
        assertThat(fields.text(Tag.FILE_NAME)).contains("main.py");
        assertThat(fields.bytes(Tag.CODE)).asString(StandardCharsets.UTF_8).isEqualTo("print(1)");
        assertThat(fields.flag(Tag.STDIN_OPEN)).isTrue();
        assertThat(fields.number(Tag.WALL_MILLIS)).contains(1000L);
        assertThat(fields.number(Tag.OUTPUT_BYTES)).contains(OUTPUT_BYTES);

        int channel = open.channel();
        bench.agent.send(
                ScriptedAgent.started(channel),
                ScriptedAgent.data(channel, Protocol.STDOUT, "one"),
                ScriptedAgent.data(channel, Protocol.STDERR, "two"),
                ScriptedAgent.data(channel, Protocol.RECORDS, ScriptedAgent.record(result("text/plain", "1"))),
                ScriptedAgent.data(channel, Protocol.STDOUT, "three"),
                ScriptedAgent.close(
                        channel,
                        ScriptedAgent.exited(3)
                                .number(Tag.USED_WALL_MICROS, 2000)
                                .flag(Tag.POOLED, true)
                                .build()));

        Execution.Result result = AgentBench.result(run);
        assertThat(sink.said).containsExactly("out:one", "err:two", "result", "out:three");
        assertThat(sink.results).containsExactly(new MimeBundle(true, Map.of("text/plain", "1")));
        assertThat(result.outcome()).isEqualTo(new Outcome.Exited(3));
        assertThat(result.usage().wallTime()).isEqualTo(Duration.ofMillis(2));
        assertThat(result.pooled()).isTrue();
        assertThat(result.error()).isEmpty();
    }

    @Test
    void writesInputToAProcessAndSignalsIt() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        assertThat(sink.started.await(20, TimeUnit.SECONDS)).isTrue();

        sandbox.writeInput(PROCESS, "input".getBytes(StandardCharsets.UTF_8), true);
        Frame input = bench.agent.receive(FrameType.DATA);
        assertThat(input.stream()).isEqualTo(Protocol.STDIN);
        assertThat(input.payload()).asString(StandardCharsets.UTF_8).isEqualTo("input");
        bench.agent.receive(FrameType.END);

        sandbox.signal(PROCESS, 2);
        assertThat(Fields.decode(bench.agent.receive(FrameType.CONTROL).payload())
                        .flag(Tag.INTERRUPT))
                .isTrue();
        sandbox.signal(PROCESS, 9);
        assertThat(Fields.decode(bench.agent.receive(FrameType.CONTROL).payload())
                        .number(Tag.SIGNAL))
                .contains(9L);

        bench.agent.send(ScriptedAgent.close(
                channel,
                ScriptedAgent.ok()
                        .number(Tag.OUTCOME, 5)
                        .text(Tag.REASON, "by signal 9")
                        .build()));
        assertThat(AgentBench.result(run).outcome()).isEqualTo(new Outcome.Killed("by signal 9"));
    }

    @Test
    void freesAWriterWhoseProcessEndsWithoutReading() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        assertThat(sink.started.await(20, TimeUnit.SECONDS)).isTrue();
        Future<Boolean> writing = bench.host(() -> {
            sandbox.writeInput(PROCESS, new byte[10 * Protocol.INITIAL_CREDIT_BYTES], true);
            return true;
        });
        for (int bytes = 0; bytes < Protocol.INITIAL_CREDIT_BYTES; ) {
            bytes += bench.agent.receive(FrameType.DATA).payload().length;
        }
        bench.agent.send(ScriptedAgent.close(channel, ScriptedAgent.exited(0).build()));
        assertThat(AgentBench.result(writing)).isTrue();
        AgentBench.result(run);
    }

    @Test
    void freesAWriterWhoseProcessIsGivenUp() throws Exception {
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        Future<Execution.Result> run = bench.host(() -> {
            caller.complete(Thread.currentThread());
            return sandbox.start(PROCESS, spec(), sink);
        });
        bench.agent.receiveOpen(RequestKind.PROCESS);
        assertThat(sink.started.await(20, TimeUnit.SECONDS)).isTrue();
        Future<Boolean> writing = bench.host(() -> {
            sandbox.writeInput(PROCESS, new byte[10 * Protocol.INITIAL_CREDIT_BYTES], true);
            return true;
        });
        for (int bytes = 0; bytes < Protocol.INITIAL_CREDIT_BYTES; ) {
            bytes += bench.agent.receive(FrameType.DATA).payload().length;
        }
        caller.join().interrupt();
        assertThat(AgentBench.result(run).outcome()).isInstanceOf(Outcome.Killed.class);
        assertThat(AgentBench.result(writing)).isTrue();
    }

    @Test
    void runsCodeInAContextAndGivesTheErrorBack() throws Exception {
        Future<Execution.Result> run = execute(sandbox, "1/0");
        Frame open = bench.agent.receiveOpen(RequestKind.EXECUTE);
        Fields fields = Fields.decode(open.payload());
        assertThat(fields.text(Tag.CONTEXT)).contains("c1");
        assertThat(fields.text(Tag.CODE)).contains("1/0");
        assertThat(fields.number(Tag.CPU_MILLIS)).contains(1000L);
        Fields error = Fields.builder()
                .text(Tag.ERROR_NAME, "ZeroDivisionError")
                .text(Tag.ERROR_VALUE, "division by zero")
                .text(Tag.ERROR_TRACEBACK, "Traceback")
                .build();
        bench.agent.send(
                ScriptedAgent.started(open.channel()),
                ScriptedAgent.data(open.channel(), Protocol.RECORDS, ScriptedAgent.record(error)),
                ScriptedAgent.close(open.channel(), ScriptedAgent.exited(1).build()));
        assertThat(AgentBench.result(run).error())
                .contains(new ExecutionError("ZeroDivisionError", "division by zero", "Traceback"));
    }

    @Test
    void interruptsTheExecutionThatRuns() throws Exception {
        Future<Execution.Result> run = execute(sandbox, "loop");
        int channel = bench.agent.receiveOpen(RequestKind.EXECUTE).channel();
        sandbox.interrupt(CONTEXT);
        // Before the guest runs there is nothing to interrupt. A result says that the record before it was seen.
        CountDownLatch seen = new CountDownLatch(1);
        sink.onResult = seen::countDown;
        bench.agent.send(
                ScriptedAgent.started(channel),
                ScriptedAgent.data(channel, Protocol.RECORDS, ScriptedAgent.record(result("a/b", "c"))));
        assertThat(seen.await(20, TimeUnit.SECONDS)).isTrue();

        sandbox.interrupt(CONTEXT);

        Frame control = bench.agent.receive(FrameType.CONTROL);
        assertThat(control.channel()).isEqualTo(channel);
        assertThat(Fields.decode(control.payload()).flag(Tag.INTERRUPT)).isTrue();
        bench.agent.send(ScriptedAgent.close(channel, ScriptedAgent.exited(130).build()));
        AgentBench.result(run);
        sandbox.interrupt(CONTEXT);
    }

    @Test
    void runsTheExecutionsOfOneContextOneAfterTheOther() throws Exception {
        AgentSandbox impatient = bench.sandbox(SHORT);
        Future<Execution.Result> first = execute(impatient, "first");
        Frame firstOpen = bench.agent.receiveOpen(RequestKind.EXECUTE);
        bench.agent.send(ScriptedAgent.started(firstOpen.channel()));
        Future<Execution.Result> second = execute(impatient, "second");
        // Far longer than a start may take: it does not count while another execution has its turn.
        assertThat(new CountDownLatch(1).await(400, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(second.isDone()).isFalse();
        bench.agent.send(
                ScriptedAgent.close(firstOpen.channel(), ScriptedAgent.exited(1).build()));
        assertThat(AgentBench.result(first).outcome()).isEqualTo(new Outcome.Exited(1));

        Frame secondOpen = bench.agent.receiveOpen(RequestKind.EXECUTE);
        assertThat(Fields.decode(secondOpen.payload()).text(Tag.CODE)).contains("second");
        bench.agent.send(
                ScriptedAgent.started(secondOpen.channel()),
                ScriptedAgent.close(
                        secondOpen.channel(), ScriptedAgent.exited(2).build()));
        assertThat(AgentBench.result(second).outcome()).isEqualTo(new Outcome.Exited(2));
        assertThat(bench.condemned).isEmpty();
    }

    @Test
    void missesAContextThatIsGone() throws Exception {
        Future<Execution.Result> run = execute(sandbox, "1");
        refuse(bench.agent.receiveOpen(RequestKind.EXECUTE), Status.NOT_FOUND, "there is no context c1");
        assertThat(AgentBench.failure(run))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONTEXT_NOT_FOUND))
                .hasMessage("there is no context c1");
    }

    @Test
    void refusesWithTheAgentsWordsWhatItDoesNotRun() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        refuse(bench.agent.receiveOpen(RequestKind.PROCESS), Status.UNSUPPORTED, "a shell needs the tier gvisor");
        assertThat(AgentBench.failure(run))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessage("a shell needs the tier gvisor");
        assertThat(bench.condemned).isEmpty();
    }

    // ---- limits

    @Test
    void condemnsTheHostOfAGuestThatIsNotEndedAtItsLimit() throws Exception {
        Future<Execution.Result> run = start(bench.sandbox(SHORT), sink);
        bench.agent.send(ScriptedAgent.started(
                bench.agent.receiveOpen(RequestKind.PROCESS).channel()));
        assertThat(AgentBench.result(run).outcome())
                .isEqualTo(new Outcome.TimedOut(Duration.ofSeconds(1), Outcome.Clock.WALL));
        assertThat(bench.condemnation()).isEqualTo("it did not end a guest at its limit of 1000 ms");
    }

    @Test
    void cannotBeHeldOffByStartingAgainAndAgain() throws Exception {
        Future<Execution.Result> run = start(bench.sandbox(SHORT), sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        while (!run.isDone()) {
            bench.agent.send(ScriptedAgent.started(channel));
            assertThat(new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS)).isFalse();
        }
        assertThat(AgentBench.result(run).outcome()).isInstanceOf(Outcome.TimedOut.class);
        assertThat(bench.condemnation()).contains("1000 ms");
    }

    @Test
    void condemnsTheHostOfAGuestThatNeverStarts() throws Exception {
        Future<Execution.Result> run = start(bench.sandbox(SHORT), sink);
        bench.agent.receiveOpen(RequestKind.PROCESS);
        assertThat(AgentBench.result(run).outcome())
                .isEqualTo(new Outcome.BackendLost("it neither began nor refused to run a guest in time"));
        assertThat(bench.condemnation()).contains("neither began nor refused");
    }

    @Test
    void condemnsTheHostOfAFloodBeyondTheGuestsLimit() throws Exception {
        Future<Execution.Result> run = start(sandbox, ExecutionSink.DISCARD);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.started(channel));
        long credit = Protocol.INITIAL_CREDIT_BYTES;
        byte[] chunk = new byte[Protocol.PAYLOAD_BYTES_MAX];
        while (true) {
            for (; credit >= chunk.length; credit -= chunk.length) {
                bench.agent.send(ScriptedAgent.data(channel, Protocol.STDOUT, chunk));
            }
            Frame frame = bench.agent.receive();
            if (frame.type() == FrameType.CANCEL) {
                break;
            }
            credit += ByteBuffer.wrap(frame.payload()).getInt();
        }
        assertThat(AgentBench.result(run).outcome()).isInstanceOf(Outcome.BackendLost.class);
        assertThat(bench.condemnation()).isEqualTo("the agent did not hold its guest to 1000 bytes");
    }

    @Test
    void holdsAGuestBackWhoseOutputNobodyTakes() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        sink.onOutput = () -> await(mayGoOn);
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.started(channel));
        byte[] chunk = new byte[Protocol.PAYLOAD_BYTES_MAX];
        for (int i = 0; i < 4; i++) {
            bench.agent.send(ScriptedAgent.data(channel, Protocol.STDOUT, chunk));
        }
        // Other requests of the connection go on; no credit comes before their answer.
        assertStillGood();

        mayGoOn.countDown();
        bench.agent.receive(FrameType.CREDIT);
        bench.agent.send(ScriptedAgent.close(channel, ScriptedAgent.exited(0).build()));
        assertThat(AgentBench.result(run).outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(sink.said).hasSize(4);
    }

    // ---- agents that do what they must not

    @ParameterizedTest
    @ValueSource(ints = {Protocol.STDIN, Protocol.CONTENT})
    void condemnsTheHostOfAStreamThatAnExecutionDoesNotHave(int stream) throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.data(channel, stream, "x"));
        assertThat(AgentBench.result(run).outcome())
                .isEqualTo(new Outcome.BackendLost("an execution has no stream " + stream));
        assertThat(bench.condemnation()).contains("no stream " + stream);
    }

    @ParameterizedTest
    @ValueSource(ints = {Limits.RESULT_BYTES_MAX + 64 * 1024 + 1, 16 * 1024 * 1024, Integer.MIN_VALUE, -1})
    void condemnsTheHostOfARecordBomb(int length) throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.data(
                channel, Protocol.RECORDS, ByteBuffer.allocate(4).putInt(length).array()));
        assertThat(AgentBench.result(run).outcome()).isInstanceOf(Outcome.BackendLost.class);
        assertThat(bench.condemnation())
                .startsWith("a record announces " + Integer.toUnsignedString(length) + " bytes");
    }

    @Test
    void condemnsTheHostOfAResultThatIsNone() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        Fields odd = Fields.builder().text(Tag.MIME_TYPE, "a/b").build();
        bench.agent.send(ScriptedAgent.data(channel, Protocol.RECORDS, ScriptedAgent.record(odd)));
        AgentBench.result(run);
        assertThat(bench.condemnation()).isEqualTo("a result has 1 types and 0 contents");
    }

    @Test
    void condemnsTheHostOfAnEndWithoutAnOutcome() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        int channel = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.close(channel, ScriptedAgent.ok().build()));
        assertThat(AgentBench.result(run).outcome()).isEqualTo(new Outcome.BackendLost("field OUTCOME is missing"));
        assertThat(bench.condemnation()).isEqualTo("field OUTCOME is missing");
    }

    @Test
    void endsAsLostWhenTheAgentIsLost() throws Exception {
        Future<Execution.Result> run = start(sandbox, sink);
        bench.agent.send(ScriptedAgent.started(
                bench.agent.receiveOpen(RequestKind.PROCESS).channel()));
        bench.agent.close();
        assertThat(AgentBench.result(run).outcome())
                .isEqualTo(new Outcome.BackendLost("the sandbox is gone: its agent ended"));
        assertThat(bench.condemned).isEmpty();
    }

    // ---- callers that go away

    @Test
    void givesAnExecutionUpWhoseSinkThrowsAndTheConnectionLivesOn() throws Exception {
        sink.onOutput = () -> {
            throw new IllegalStateException("the client went away");
        };
        Future<Execution.Result> run = start(sandbox, sink);
        Frame open = bench.agent.receiveOpen(RequestKind.PROCESS);
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.STDOUT, "x"));
        assertThat(AgentBench.failure(run))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the client went away");
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(open.channel());
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.STDOUT, "late"));
        refuse(open, Status.CANCELLED, "it was cancelled");
        assertStillGood();
        assertThat(bench.condemned).isEmpty();
    }

    @Test
    void killsTheProcessOfACallerThatIsInterruptedAndNoOther() throws Exception {
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        Future<Execution.Result> interrupted = bench.host(() -> {
            caller.complete(Thread.currentThread());
            Execution.Result result = sandbox.start(PROCESS, spec(), sink);
            assertThat(Thread.interrupted()).as("the interrupt is passed on").isTrue();
            return result;
        });
        int first = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        Future<Execution.Result> other =
                bench.host(() -> sandbox.start(new ProcessId(2), spec(), ExecutionSink.DISCARD));
        int second = bench.agent.receiveOpen(RequestKind.PROCESS).channel();
        bench.agent.send(ScriptedAgent.started(first), ScriptedAgent.started(second));

        caller.join().interrupt();

        assertThat(AgentBench.result(interrupted).outcome()).isEqualTo(new Outcome.Killed("the caller went away"));
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(first);
        bench.agent.send(
                ScriptedAgent.close(second, ScriptedAgent.exited(0).build()),
                ScriptedAgent.close(
                        first,
                        Fields.builder()
                                .number(Tag.STATUS, Status.CANCELLED.code())
                                .number(Tag.OUTCOME, 5)
                                .build()));
        assertThat(AgentBench.result(other).outcome()).isEqualTo(new Outcome.Exited(0));
        assertStillGood();
    }

    @Test
    void givesItsTurnUpWhenTheCallerIsInterruptedWhileItWaits() throws Exception {
        Future<Execution.Result> first = execute(sandbox, "first");
        Frame open = bench.agent.receiveOpen(RequestKind.EXECUTE);
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        Future<Execution.Result> waiting = bench.host(() -> {
            caller.complete(Thread.currentThread());
            return sandbox.execute(CONTEXT, "second", Map.of(), limits(), ExecutionSink.DISCARD);
        });
        caller.join().interrupt();
        assertThat(AgentBench.failure(waiting)).hasMessage("the caller went away");
        bench.agent.send(
                ScriptedAgent.close(open.channel(), ScriptedAgent.exited(0).build()));
        AgentBench.result(first);
        assertStillGood();
    }

    private Future<Execution.Result> start(AgentSandbox where, ExecutionSink to) {
        return bench.host(() -> where.start(PROCESS, spec(), to));
    }

    private Future<Execution.Result> execute(AgentSandbox where, String code) {
        return bench.host(() -> where.execute(CONTEXT, code, Map.of(), limits(), sink));
    }

    private static Execution.ProcessSpec spec() {
        return new Execution.ProcessSpec(
                List.of("main.py", "-x"),
                Optional.of(
                        new Execution.Code(Language.PYTHON, "print(1)".getBytes(StandardCharsets.UTF_8), "main.py")),
                Map.of("B", "2=3", "A", "1"),
                GuestPath.HOME,
                true,
                limits());
    }

    private static ResourceLimits limits() {
        return new ResourceLimits(
                Duration.ofSeconds(1), Duration.ofSeconds(1), Limits.MEMORY_BYTES_MIN, OUTPUT_BYTES, 0, 1);
    }

    private static Fields result(String type, String content) {
        return Fields.builder()
                .flag(Tag.MAIN_RESULT, true)
                .text(Tag.MIME_TYPE, type)
                .text(Tag.MIME_CONTENT, content)
                .build();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
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
        Future<FileEntry> stat = bench.host(() -> sandbox.stat(GuestPath.HOME));
        Frame open = bench.agent.receiveOpen(RequestKind.STAT);
        bench.agent.send(ScriptedAgent.close(
                open.channel(), ScriptedAgent.ok().text(Tag.PATH, "/good").build()));
        assertThat(AgentBench.result(stat).path()).isEqualTo("/good");
    }
}
