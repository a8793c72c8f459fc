package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A connection as a whole: numbers, greetings over, what is gone, and agents that do not read.
@Timeout(60)
class AgentConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private AgentBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = AgentBench.open(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void opensChannelsWithAscendingNumbersWhoeverAsks() throws Exception {
        List<Future<AgentChannel>> opening = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            opening.add(bench.host(this::openChannel));
        }
        for (int i = 1; i <= 200; i++) {
            Frame open = bench.agent.receiveOpen(RequestKind.STAT);
            assertThat(open.channel()).isEqualTo(i);
        }
        Set<Integer> numbers = new HashSet<>();
        for (Future<AgentChannel> channel : opening) {
            numbers.add(AgentBench.result(channel).number());
        }
        assertThat(numbers).hasSize(200);
    }

    @Test
    void refusesOneChannelMoreThanTheProtocolAllows() throws Exception {
        List<AgentChannel> channels = new ArrayList<>();
        for (int i = 0; i < Protocol.CHANNELS_MAX; i++) {
            channels.add(openChannel());
        }
        assertThatThrownBy(this::openChannel)
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED))
                .hasMessage("this sandbox has 1024 requests under way, the bound: wait for one");

        bench.agent.send(ScriptedAgent.close(7, ScriptedAgent.ok().build()));
        assertThat(channels.get(6).take(PATIENCE)).isPresent();

        assertThat(openChannel().number()).isEqualTo(Protocol.CHANNELS_MAX + 1);
    }

    @Test
    void cancelsAChannelThatIsGivenUpAndPassesOverWhatStillComes() throws Exception {
        AgentChannel channel = openChannel();
        bench.agent.receiveOpen(RequestKind.STAT);

        channel.close();
        channel.close();

        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(1);
        bench.agent.send(
                ScriptedAgent.data(1, Protocol.CONTENT, "late"),
                ScriptedAgent.credit(1, Protocol.CONTENT, 1),
                Frame.of(FrameType.END, Protocol.CONTENT, 1),
                ScriptedAgent.close(1, ScriptedAgent.ok().build()));
        assertStillGood();
    }

    @Test
    void losesAnAgentThatClosesTwiceWhatWasGivenUp() throws Exception {
        openChannel().close();
        Frame close = ScriptedAgent.close(1, ScriptedAgent.ok().build());
        bench.agent.send(close, close);
        assertThat(lostReason()).isEqualTo("its agent broke the protocol: channel 1 is not open");
    }

    @Test
    void forgetsEveryChannelHoweverItsEndsCross() throws Exception {
        int rounds = 3 * Protocol.CHANNELS_MAX;
        Future<Integer> closing = bench.host(() -> {
            for (int i = 0; i < rounds; i++) {
                // Now before, now after the agent's CLOSE arrives.
                AgentChannel channel = openChannel();
                if (i % 3 == 0) {
                    channel.take(PATIENCE);
                } else if (i % 3 == 1) {
                    channel.take(Duration.ofNanos(20_000));
                }
                channel.close();
            }
            return rounds;
        });
        for (int opened = 0; opened < rounds; ) {
            Frame frame = bench.agent.receive();
            if (frame.type() == FrameType.OPEN) {
                opened++;
                bench.agent.send(
                        ScriptedAgent.close(frame.channel(), ScriptedAgent.ok().build()));
            }
        }
        assertThat(AgentBench.result(closing)).isEqualTo(rounds);
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
        while (bench.agent.receive().type() != FrameType.PONG) {
            // The PONG says that the host has seen the last CLOSE.
        }
        for (int i = 0; i < Protocol.CHANNELS_MAX; i++) {
            openChannel();
        }
    }

    @Test
    void sendsFieldsThatDoNotFitInAFrameAsRecords() throws Exception {
        byte[] module = new byte[32 * 1024 * 1024];
        new Random(5).nextBytes(module);
        Fields fields = Fields.builder()
                .texts(Tag.ARGUMENT, List.of("main.wasm", "x".repeat(100_000)))
                .bytes(Tag.CODE, module)
                .text(Tag.DIRECTORY, "/home/user")
                .build();
        Future<AgentChannel> opening = bench.host(() -> bench.connection.open(RequestKind.PROCESS, fields, PATIENCE));

        Frame open = bench.agent.receiveOpen(RequestKind.PROCESS);
        assertThat(Fields.decode(open.payload()).flag(Tag.MORE)).isTrue();
        bench.agent.send(ScriptedAgent.credit(open.channel(), Protocol.RECORDS, 64 * 1024 * 1024));
        List<Fields> records = new ArrayList<>();
        RecordReader reader = new RecordReader(Protocol.RECORD_BYTES_MAX);
        for (Frame frame = bench.agent.receive(); frame.type() != FrameType.END; frame = bench.agent.receive()) {
            assertThat(frame.stream()).isEqualTo(Protocol.RECORDS);
            reader.read(frame.payload(), records::add);
        }

        assertThat(AgentBench.result(opening).number()).isEqualTo(open.channel());
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        records.forEach(record -> code.writeBytes(record.bytes(Tag.CODE)));
        assertThat(code.toByteArray()).isEqualTo(module);
        assertThat(records.stream().flatMap(record -> record.texts(Tag.ARGUMENT).stream()))
                .containsExactly("main.wasm", "x".repeat(100_000));
        assertThat(records.getLast().text(Tag.DIRECTORY)).contains("/home/user");
    }

    @Test
    void givesARequestUpWhoseFieldsCannotBeSent() throws Exception {
        Fields fields = Fields.builder().bytes(Tag.CODE, new byte[1024 * 1024]).build();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Future<AgentChannel> opening = bench.host(() -> {
            thread.complete(Thread.currentThread());
            return bench.connection.open(RequestKind.PROCESS, fields, PATIENCE);
        });
        bench.agent.receiveOpen(RequestKind.PROCESS);
        for (int bytes = 0; bytes < Protocol.INITIAL_CREDIT_BYTES; ) {
            bytes += bench.agent.receive(FrameType.DATA).payload().length;
        }

        thread.join().interrupt();

        assertThat(AgentBench.failure(opening)).isInstanceOf(InterruptedException.class);
        bench.agent.receive(FrameType.CANCEL);
        bench.agent.send(ScriptedAgent.close(1, ScriptedAgent.ok().build()));
        assertStillGood();
    }

    @Test
    void answersAPing() {
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[64]), new Frame(FrameType.PONG, 0, 0, new byte[3]));
        assertThat(bench.agent.receive(FrameType.PONG).payload()).hasSize(64);
    }

    @Test
    void losesAnAgentThatPingsAndNeverReads() throws Exception {
        CompletableFuture<String> lost = onLost();
        Frame ping = new Frame(FrameType.PING, 0, 0, new byte[64]);
        while (bench.agent.trySend(ping)) {
            // Until the host has enough.
        }
        assertThat(lost.get()).isEqualTo("its agent does not read what it is sent");
    }

    @Test
    void losesAnAgentThatDoesNotReadControlFrames() throws Exception {
        AgentChannel channel = openChannel();
        Fields signal = Fields.builder()
                .number(Tag.SIGNAL, 1)
                .text(Tag.SANDBOX, "x".repeat(2000))
                .build();
        assertThatThrownBy(() -> {
                    while (true) {
                        channel.control(signal);
                    }
                })
                .isInstanceOf(GloveboxException.class)
                .hasMessage("the sandbox is gone: its agent does not read what it is sent");
        assertThat(lostReason()).isEqualTo("its agent does not read what it is sent");
    }

    @Test
    void holdsDataBackWhileAnAgentDoesNotReadAndLosesItInTheEnd() throws Exception {
        bench.close();
        bench = AgentBench.open(directory, Duration.ofMillis(300));
        AgentChannel channel = openChannel();
        bench.agent.send(ScriptedAgent.credit(1, Protocol.CONTENT, Protocol.CREDIT_BYTES_MAX / 2));
        byte[] chunk = new byte[1024 * 1024];
        AtomicInteger written = new AtomicInteger();

        Future<Integer> writing = bench.host(() -> {
            while (true) {
                channel.write(Protocol.CONTENT, chunk, chunk.length, PATIENCE);
                written.incrementAndGet();
            }
        });

        assertThat(AgentBench.failure(writing))
                .isInstanceOf(GloveboxException.class)
                .hasMessageContaining("the sandbox is gone: its agent does not read");
        assertThat(written.get()).as("MiB that the host queued for it").isLessThan(16);
    }

    @Test
    void tellsOnceThatItIsLost() throws Exception {
        AtomicInteger told = new AtomicInteger();
        CompletableFuture<String> reason = new CompletableFuture<>();
        bench.connection.onLost(why -> {
            told.incrementAndGet();
            reason.complete(why);
        });
        bench.agent.close();
        assertThat(reason.get()).isEqualTo("its agent ended");
        bench.connection.close();
        assertThat(told).hasValue(1);

        CompletableFuture<String> late = onLost();
        assertThat(late).as("told at once").isCompletedWithValue("its agent ended");
    }

    @Test
    void tellsNobodyThatItIsLostWhenItWasClosed() {
        AtomicInteger told = new AtomicInteger();
        bench.connection.onLost(_ -> told.incrementAndGet());
        bench.connection.close();
        bench.connection.close();
        bench.connection.onLost(_ -> told.incrementAndGet());
        bench.agent.awaitEnd();
        assertThat(told).hasValue(0);
        assertThatThrownBy(this::openChannel)
                .isInstanceOf(GloveboxException.class)
                .hasMessage("the sandbox is gone: it was ended");
    }

    @Test
    void tellsOfALossOnAThreadThatHoldsNothing() throws Exception {
        CompletableFuture<Boolean> usable = new CompletableFuture<>();
        bench.connection.onLost(_ -> {
            bench.connection.close();
            usable.complete(true);
        });
        bench.agent.close();
        assertThat(usable.get()).isTrue();
    }

    @Test
    void losesAnAgentThatEndsInTheMiddleOfAFrame() throws Exception {
        AgentChannel channel = openChannel();
        bench.agent.receiveOpen(RequestKind.STAT);
        bench.agent.sendBytes(
                ScriptedAgent.data(1, Protocol.CONTENT, "abcdef").encode().limit(15));
        bench.agent.close();
        assertThatThrownBy(() -> channel.take(PATIENCE))
                .isInstanceOf(GloveboxException.class)
                .hasMessage("the sandbox is gone: its agent ended");
    }

    @Test
    void handsOverWhatArrivedBeforeTheAgentEnded() throws Exception {
        AgentChannel channel = openChannel();
        bench.agent.receiveOpen(RequestKind.STAT);
        byte[] bytes = new byte[Protocol.PAYLOAD_BYTES_MAX];
        bench.agent.send(ScriptedAgent.data(1, 4, bytes), ScriptedAgent.data(1, 4, bytes));
        CompletableFuture<String> lost = onLost();
        bench.agent.send(ScriptedAgent.close(1, ScriptedAgent.ok().build()));
        bench.agent.close();
        lost.get();

        for (int i = 0; i < 2; i++) {
            Frame frame = channel.take(PATIENCE).orElseThrow();
            assertThat(frame.type()).isEqualTo(FrameType.DATA);
            channel.consumed(frame.stream(), frame.payload().length);
        }
        assertThat(channel.take(PATIENCE).orElseThrow().type()).isEqualTo(FrameType.CLOSE);
        channel.close();
    }

    @Test
    void losesAnAgentWhoseBytesAreNoFrames() throws Exception {
        byte[] noise = new byte[5000];
        new Random(9).nextBytes(noise);
        bench.agent.sendBytes(ByteBuffer.wrap(noise));
        assertThat(lostReason()).startsWith("its agent broke the protocol: ");
        bench.agent.awaitEnd();
    }

    private AgentChannel openChannel() throws InterruptedException {
        return bench.connection.open(RequestKind.STAT, Fields.NONE, PATIENCE);
    }

    private CompletableFuture<String> onLost() {
        CompletableFuture<String> reason = new CompletableFuture<>();
        bench.connection.onLost(reason::complete);
        return reason;
    }

    private String lostReason() throws Exception {
        return onLost().get();
    }

    /// A request and its answer still work.
    private void assertStillGood() throws Exception {
        AgentChannel next = openChannel();
        int number = bench.agent.receiveOpen(RequestKind.STAT).channel();
        assertThat(number).isEqualTo(next.number());
        bench.agent.send(ScriptedAgent.close(number, ScriptedAgent.ok().build()));
        assertThat(next.take(PATIENCE).orElseThrow().type()).isEqualTo(FrameType.CLOSE);
    }
}
