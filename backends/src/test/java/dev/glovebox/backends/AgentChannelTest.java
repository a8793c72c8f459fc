package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// One channel: credit in both directions, and every way to break its rules. The agent's channel is always number 1.
@Timeout(60)
class AgentChannelTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int CREDIT = Protocol.INITIAL_CREDIT_BYTES;

    @TempDir
    Path directory;

    private AgentBench bench;
    private AgentChannel channel;

    @BeforeEach
    void open() throws Exception {
        bench = AgentBench.open(directory);
        channel = bench.connection.open(RequestKind.READ, Fields.NONE, PATIENCE);
        bench.agent.receiveOpen(RequestKind.READ);
    }

    @AfterEach
    void close() throws IOException {
        bench.close();
        assertThat(directory).isEmptyDirectory();
    }

    // ---- towards the agent

    @Test
    void sendsNoMoreThanTheAgentGranted() throws Exception {
        byte[] bytes = new byte[CREDIT + 100];
        Future<Boolean> writing = bench.host(() -> channel.write(Protocol.CONTENT, bytes, bytes.length, PATIENCE));
        assertThat(receiveData(CREDIT)).isEqualTo(CREDIT);
        // PING and PONG: what comes after the PONG was sent after it.
        channel.control(Fields.NONE);
        bench.agent.receive(FrameType.CONTROL);
        assertThat(writing.isDone()).isFalse();

        bench.agent.send(ScriptedAgent.credit(1, Protocol.CONTENT, 60));
        assertThat(receiveData(60)).isEqualTo(60);
        assertThat(writing.isDone()).isFalse();
        bench.agent.send(ScriptedAgent.credit(1, Protocol.CONTENT, 1000));

        assertThat(receiveData(40)).isEqualTo(40);
        assertThat(AgentBench.result(writing)).isTrue();
    }

    @Test
    void keepsTheCreditOfEachStreamApart() throws Exception {
        byte[] bytes = new byte[CREDIT];
        assertThat(channel.write(Protocol.CONTENT, bytes, bytes.length, PATIENCE))
                .isTrue();
        assertThat(channel.write(Protocol.STDIN, bytes, bytes.length, PATIENCE)).isTrue();
        assertThat(receiveData(2 * CREDIT)).isEqualTo(2 * CREDIT);
    }

    @Test
    void stopsToWriteWhenTheAgentCloses() throws Exception {
        Future<Boolean> writing = writeTooMuch();
        bench.agent.send(ScriptedAgent.close(1, ScriptedAgent.ok().build()));
        assertThat(AgentBench.result(writing)).isFalse();
    }

    @Test
    void stopsToWriteWhenTheChannelIsGivenUpElsewhere() throws Exception {
        Future<Boolean> writing = writeTooMuch();
        channel.close();
        assertThat(AgentBench.result(writing)).isFalse();
    }

    @Test
    void stopsToWriteWhenTheConnectionIsLost() throws Exception {
        Future<Boolean> writing = writeTooMuch();
        bench.agent.close();
        assertThat(AgentBench.failure(writing))
                .isInstanceOf(GloveboxException.class)
                .hasMessageStartingWith("the sandbox is gone: ");
    }

    @Test
    void losesPatienceWithAnAgentThatGrantsNothing() throws Exception {
        byte[] bytes = new byte[CREDIT + 1];
        Future<Boolean> writing =
                bench.host(() -> channel.write(Protocol.CONTENT, bytes, bytes.length, Duration.ofMillis(50)));
        assertThat(AgentBench.failure(writing))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("the agent took nothing in for");
    }

    @Test
    void canBeInterruptedWhileItWaitsForCreditAndTheConnectionLivesOn() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        byte[] bytes = new byte[CREDIT + 1];
        Future<Boolean> writing = bench.host(() -> {
            thread.complete(Thread.currentThread());
            return channel.write(Protocol.CONTENT, bytes, bytes.length, PATIENCE);
        });
        receiveData(CREDIT);
        thread.join().interrupt();
        assertThat(AgentBench.failure(writing)).isInstanceOf(InterruptedException.class);

        bench.agent.send(ScriptedAgent.close(1, ScriptedAgent.ok().build()));
        assertThat(channel.take(PATIENCE)).isPresent();
    }

    @Test
    void survivesAnInterruptOfAThreadThatIsAboutToWrite() throws Exception {
        Future<Boolean> writing = bench.host(() -> {
            Thread.currentThread().interrupt();
            channel.end(Protocol.CONTENT);
            return Thread.interrupted();
        });
        assertThat(AgentBench.result(writing)).isTrue();
        bench.agent.receive(FrameType.END);
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
        bench.agent.receive(FrameType.PONG);
    }

    // ---- from the agent

    @Test
    void grantsWhatWasTakenCareOfAndNothingElse() throws Exception {
        bench.agent.send(fill(CREDIT));
        int taken = 0;
        while (taken < CREDIT) {
            taken += channel.take(PATIENCE).orElseThrow().payload().length;
        }
        // What was only taken is not granted again: the next frame to the agent is this one.
        channel.control(Fields.NONE);
        bench.agent.receive(FrameType.CONTROL);

        channel.consumed(Protocol.CONTENT, CREDIT);

        Frame grant = bench.agent.receive(FrameType.CREDIT);
        assertThat(grant.stream()).isEqualTo(Protocol.CONTENT);
        assertThat(ByteBuffer.wrap(grant.payload()).getInt()).isEqualTo(CREDIT);
        bench.agent.send(fill(CREDIT));
        assertThat(channel.take(PATIENCE)).isPresent();
    }

    @Test
    void grantsInStepsAndNothingAfterTheEnd() throws Exception {
        bench.agent.send(fill(CREDIT));
        for (int i = 0; i < 4; i++) {
            assertThat(channel.take(PATIENCE)).isPresent();
        }
        channel.consumed(Protocol.CONTENT, 65_535);
        channel.control(Fields.NONE);
        bench.agent.receive(FrameType.CONTROL);
        channel.consumed(Protocol.CONTENT, 1);
        bench.agent.receive(FrameType.CREDIT);

        bench.agent.send(ScriptedAgent.close(1, Fields.NONE));
        assertThat(channel.take(PATIENCE).orElseThrow().type()).isEqualTo(FrameType.CLOSE);
        channel.consumed(Protocol.CONTENT, CREDIT - 65_536);
        channel.control(Fields.NONE);
        bench.agent.receive(FrameType.CONTROL);
    }

    @Test
    void takesAllOfItsCreditInFramesOfOneByte() throws Exception {
        ByteBuffer tiny = ByteBuffer.allocate(CREDIT * 13);
        while (tiny.hasRemaining()) {
            Frame.putHeader(tiny, FrameType.DATA, Protocol.CONTENT, 1, 1);
            tiny.put((byte) 'x');
        }
        bench.agent.sendBytes(tiny.flip());
        int taken = 0;
        while (taken < CREDIT) {
            taken += channel.take(PATIENCE).orElseThrow().payload().length;
        }
        assertThat(taken).isEqualTo(CREDIT);
    }

    @Test
    void losesAnAgentThatOverdrawsItsCreditByOneByte() throws Exception {
        bench.agent.send(fill(CREDIT));
        bench.agent.send(ScriptedAgent.data(1, Protocol.CONTENT, "!"));
        assertThat(lostReason())
                .isEqualTo("its agent broke the protocol: the agent sent nothing or more than its credit on stream 4");
    }

    @Test
    void waitsNoLongerThanItIsTold() throws Exception {
        assertThat(channel.take(Duration.ZERO)).isEmpty();
        assertThat(channel.take(Duration.ofMillis(5))).isEmpty();
        assertThat(channel.take(Duration.ofSeconds(-5))).isEmpty();
    }

    static Stream<Arguments> hostile() {
        Frame close = ScriptedAgent.close(1, Fields.NONE);
        Frame end = Frame.of(FrameType.END, 4, 1);
        return Stream.of(
                hostile("DATA without bytes", "nothing or more", Frame.of(FrameType.DATA, 4, 1)),
                hostile("DATA on a stream that does not exist", "stream 5 does not", ScriptedAgent.data(1, 5, "a")),
                hostile("DATA on the last of all streams", "stream 65535", ScriptedAgent.data(1, 65_535, "a")),
                hostile("DATA on a channel that was never opened", "channel 2", ScriptedAgent.data(2, 4, "a")),
                hostile("DATA after END", "after the end of stream 4", end, ScriptedAgent.data(1, 4, "a")),
                hostile("DATA after CLOSE", "channel 1 is not open", close, ScriptedAgent.data(1, 4, "a")),
                hostile("CLOSE twice", "channel 1 is not open", close, close),
                hostile("CLOSE of a channel that was never opened", "channel 9", ScriptedAgent.close(9, Fields.NONE)),
                hostile("END twice", "comes once", end, end),
                hostile("END with bytes", "has no bytes", new Frame(FrameType.END, 4, 1, new byte[1])),
                hostile("END of a stream that does not exist", "stream 5", Frame.of(FrameType.END, 5, 1)),
                hostile("SHARED that nobody asked for", "what nobody asked it to", ScriptedAgent.shared(1, 0, 1)),
                hostile("CREDIT of three bytes", "3 bytes, not 4", new Frame(FrameType.CREDIT, 4, 1, new byte[3])),
                hostile("CREDIT of nothing", "CREDIT of 0", ScriptedAgent.credit(1, 4, 0)),
                hostile("CREDIT below nothing", "CREDIT of 4294967295", ScriptedAgent.credit(1, 4, -1)),
                hostile("CREDIT above its bound", "out of range", ScriptedAgent.credit(1, 4, 1 << 30)),
                hostile(
                        "CREDIT that adds up to more",
                        "out of range",
                        ScriptedAgent.credit(1, 4, 1 << 29),
                        ScriptedAgent.credit(1, 4, 1 << 29)),
                hostile("CREDIT on a stream that does not exist", "stream 7", ScriptedAgent.credit(1, 7, 1)),
                hostile("OPEN", "does not send OPEN", Frame.of(FrameType.OPEN, 4, 1)),
                hostile("CANCEL", "does not send CANCEL", Frame.of(FrameType.CANCEL, 0, 1)),
                hostile("PING on a channel", "does not send PING", Frame.of(FrameType.PING, 0, 1)),
                hostile("a second HELLO", "does not send HELLO", Frame.of(FrameType.HELLO, 0, 0)),
                hostile("DATA on channel 0", "does not send DATA on channel 0", ScriptedAgent.data(0, 1, "a")),
                hostile("a PING above its bound", "PING of 65", new Frame(FrameType.PING, 0, 0, new byte[65])),
                hostile("GOODBYE", "said goodbye", Frame.of(FrameType.GOODBYE, 0, 0)));
    }

    private static Arguments hostile(String what, String words, Frame... frames) {
        return Arguments.of(what, words, List.of(frames));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    void losesAnAgentThatSends(String what, String words, List<Frame> frames) throws Exception {
        frames.forEach(bench.agent::send);
        assertThat(lostReason())
                .as(what)
                .startsWith("its agent broke the protocol: ")
                .contains(words);
        bench.agent.awaitEnd();
        assertThatThrownBy(() -> bench.connection.open(RequestKind.STAT, Fields.NONE, PATIENCE))
                .isInstanceOf(GloveboxException.class)
                .hasMessageContaining(words);
    }

    private Future<Boolean> writeTooMuch() {
        byte[] bytes = new byte[CREDIT + 1];
        Future<Boolean> writing = bench.host(() -> channel.write(Protocol.CONTENT, bytes, bytes.length, PATIENCE));
        receiveData(CREDIT);
        return writing;
    }

    private int receiveData(int atLeast) {
        int bytes = 0;
        while (bytes < atLeast) {
            bytes += bench.agent.receive(FrameType.DATA).payload().length;
        }
        return bytes;
    }

    private static Frame[] fill(int bytes) {
        Frame[] frames = new Frame[bytes / Protocol.PAYLOAD_BYTES_MAX];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = ScriptedAgent.data(1, Protocol.CONTENT, new byte[Protocol.PAYLOAD_BYTES_MAX]);
        }
        return frames;
    }

    private String lostReason() throws Exception {
        CompletableFuture<String> reason = new CompletableFuture<>();
        bench.connection.onLost(reason::complete);
        return reason.get();
    }
}
