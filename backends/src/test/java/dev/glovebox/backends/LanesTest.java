package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Memory that is shared with an agent, honest or not.
class LanesTest {
    private static final int SIZE = 3 * Protocol.LANE_BYTES + 17;
    private static final GuestPath PATH = new GuestPath("/home/user/f");

    @TempDir
    Path directory;

    /// In memory, as the supervisor makes it: only there pages can be given back.
    private Path file;

    private Lanes lanes;
    private AgentBench bench;

    @BeforeEach
    void open() throws IOException {
        file = Files.createTempFile(Path.of("/dev/shm"), "glovebox-lanes", ".test");
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(2L * Protocol.LANE_BYTES);
        }
        lanes = new Lanes(file, inode());
        bench = AgentBench.open(directory);
    }

    @AfterEach
    void close() throws IOException {
        bench.close();
        Files.delete(file);
    }

    private long inode() throws IOException {
        return (long) Files.getAttribute(file, "unix:ino");
    }

    @Test
    void oneTransferHasALaneAtATime() {
        try (Lane first = lanes.takeIn().orElseThrow()) {
            assertThat(first.at(new Lane.Place(1, 2)).remaining()).isEqualTo(2);
            assertThat(lanes.takeIn()).isEmpty();
            lanes.takeOut().orElseThrow().close();
        }
        lanes.takeIn().orElseThrow().close();
    }

    @Test
    void nothingOfATransferIsLeftForTheNext() throws Exception {
        try (Lane lane = lanes.takeOut().orElseThrow()) {
            lane.at(new Lane.Place(0, Protocol.LANE_BYTES))
                    .put(new byte[Protocol.LANE_BYTES - 1])
                    .put((byte) 7);
            assertThat(blocks()).isPositive();
        }
        assertThat(blocks()).isZero();
        try (Lane lane = lanes.takeOut().orElseThrow()) {
            assertThat(lane.at(new Lane.Place(Protocol.LANE_BYTES - 1, 1)).get())
                    .isZero();
        }
    }

    @Test
    void nothingIsLeftOfASandboxThatHasEnded() throws Exception {
        lanes.takeIn().orElseThrow().close();
        try (RandomAccessFile agent = new RandomAccessFile(file.toFile(), "rw")) {
            agent.write(new byte[2 * Protocol.LANE_BYTES]);
        }
        assertThat(blocks()).isPositive();
        lanes.end();
        assertThat(blocks()).isZero();
        assertThat(lanes.takeIn()).isEmpty();
    }

    private long blocks() throws IOException, InterruptedException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        String answer = new String(stat.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
        assertThat(stat.waitFor()).isZero();
        return Long.parseLong(answer.strip());
    }

    @Test
    void whatIsThereInsteadIsNotUsed() throws IOException {
        assertThat(new Lanes(file, inode() + 1).takeIn()).isEmpty();
        assertThat(new Lanes(directory.resolve("nothing"), 1).takeOut()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-1,1", "0,0", "0,-1", "0,4194305", "4194304,1", "1,2147483647", "2147483647,2147483647"})
    void onlyPlacesInALaneAre(int position, int length) {
        assertThatThrownBy(() -> new Lane.Place(position, length)).isInstanceOf(ProtocolException.class);
    }

    private AgentSandbox sandbox() {
        AgentSandbox.Host host = new AgentSandbox.Host() {
            @Override
            public void released() {}

            @Override
            public void condemn(String why) {
                bench.condemned.add(why);
            }

            @Override
            public Optional<Lanes> lanes() {
                return Optional.of(lanes);
            }
        };
        return new AgentSandbox(bench.connection, host, Patience.DEFAULT);
    }

    private Fields file(long size) {
        return ScriptedAgent.ok()
                .text(Tag.PATH, PATH.value())
                .number(Tag.FILE_TYPE, 1)
                .number(Tag.FILE_SIZE, size)
                .number(Tag.FILE_MODE, 0644)
                .number(Tag.FILE_MODIFIED, 1)
                .build();
    }

    private Future<FileEntry> read(ByteArrayOutputStream to) {
        Future<FileEntry> reading = bench.host(() -> sandbox().read(PATH, FileAccess.DEFAULT, 0, -1, to::writeBytes));
        bench.agent.send(
                ScriptedAgent.close(bench.agent.receiveOpen(RequestKind.STAT).channel(), file(SIZE)));
        return reading;
    }

    @Test
    void aLongFileIsTakenFromTheLane() throws Exception {
        byte[] content = new byte[SIZE];
        new Random(1).nextBytes(content);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        Future<FileEntry> reading = read(taken);
        Frame open = bench.agent.receiveOpen(RequestKind.READ);
        assertThat(Fields.decode(open.payload()).flag(Tag.SHARED)).isTrue();
        try (RandomAccessFile memory = new RandomAccessFile(file.toFile(), "rw")) {
            int credit = Protocol.INITIAL_CREDIT_BYTES;
            for (int sent = 0; sent < SIZE; ) {
                while (credit == 0) {
                    credit += ByteBuffer.wrap(
                                    bench.agent.receive(FrameType.CREDIT).payload())
                            .getInt();
                    assertThat(credit).isLessThanOrEqualTo(Protocol.LANE_BYTES);
                }
                int position = sent % Protocol.LANE_BYTES;
                int length = Math.min(Math.min(credit, Protocol.LANE_BYTES - position), SIZE - sent);
                memory.seek(Protocol.LANE_BYTES + position);
                memory.write(content, sent, length);
                bench.agent.send(ScriptedAgent.shared(open.channel(), position, length));
                sent += length;
                credit -= length;
            }
        }
        bench.agent.send(ScriptedAgent.close(open.channel(), file(SIZE)));
        assertThat(AgentBench.result(reading).sizeBytes()).isEqualTo(SIZE);
        assertThat(taken.toByteArray()).isEqualTo(content);
        assertThat(lanes.takeOut()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "4194303,2,do not lie in a lane",
        "0,0,do not lie in a lane",
        "0,300000,more than its credit",
        "8,1,not from 0"
    })
    void anAgentThatSharesWhatIsNotThereIsLost(int position, int length, String words) throws Exception {
        Future<FileEntry> reading = read(new ByteArrayOutputStream());
        Frame open = bench.agent.receiveOpen(RequestKind.READ);
        bench.agent.send(ScriptedAgent.shared(open.channel(), position, length));
        assertThat(AgentBench.failure(reading)).hasMessageContaining(words);
        assertThat(lanes.takeOut()).isPresent();
    }

    @Test
    void anAgentThatSendsInsteadIsLost() throws Exception {
        Future<FileEntry> reading = read(new ByteArrayOutputStream());
        Frame open = bench.agent.receiveOpen(RequestKind.READ);
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.CONTENT, "12345678"));
        assertThat(AgentBench.failure(reading)).hasMessageContaining("what it was asked to share");
    }

    /// On any other stream, what looks like places is none.
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 4096})
    void anAgentThatSendsBesidesIsCondemned(int length) throws Exception {
        Future<FileEntry> reading = read(new ByteArrayOutputStream());
        Frame open = bench.agent.receiveOpen(RequestKind.READ);
        byte[] places = new byte[length];
        Arrays.fill(places, (byte) 1);
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.RECORDS, places));
        assertThat(AgentBench.failure(reading)).hasMessageContaining("this request has no stream " + Protocol.RECORDS);
        assertThat(bench.condemned).hasSize(1);
    }

    /// Each byte on its own, while nobody takes any: they cost no more than one piece.
    @Test
    void piecesThatWaitAreOne() throws Exception {
        int size = Protocol.INITIAL_CREDIT_BYTES;
        CountDownLatch all = new CountDownLatch(1);
        List<Integer> pieces = new ArrayList<>();
        Future<FileEntry> reading = bench.host(() -> sandbox().read(PATH, FileAccess.DEFAULT, 0, -1, bytes -> {
            pieces.add(bytes.length);
            try {
                all.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }));
        bench.agent.send(
                ScriptedAgent.close(bench.agent.receiveOpen(RequestKind.STAT).channel(), file(SIZE)));
        int channel = bench.agent.receiveOpen(RequestKind.READ).channel();
        for (int i = 0; i < size; i++) {
            bench.agent.send(ScriptedAgent.shared(channel, i, 1));
        }
        bench.agent.send(new Frame(FrameType.PING, 0, Protocol.CONTROL_CHANNEL, new byte[0]));
        bench.agent.receive(FrameType.PONG);
        all.countDown();
        bench.agent.receive(FrameType.CREDIT);
        bench.agent.send(ScriptedAgent.close(channel, file(size)));
        AgentBench.result(reading);
        assertThat(pieces).hasSizeLessThanOrEqualTo(2);
        assertThat(pieces.stream().mapToInt(each -> each).sum()).isEqualTo(size);
    }

    /// The agent reads there until it hears that nobody wants the file any more.
    @Test
    void aLaneOfAnUploadThatIsGivenUpIsTheNextOnesWhenTheAgentHasClosed() throws Exception {
        int[] given = {0};
        Future<FileEntry> writing = bench.host(() -> sandbox().write(PATH, FileAccess.DEFAULT, Map.of(), target -> {
            if (given[0] > Protocol.INITIAL_CREDIT_BYTES) {
                throw new IllegalStateException("the client went away");
            }
            given[0] += target.length;
            return target.length;
        }));
        int channel = bench.agent.receiveOpen(RequestKind.WRITE).channel();
        bench.agent.send(ScriptedAgent.credit(channel, Protocol.CONTENT, Protocol.LANE_BYTES));
        Frame frame = bench.agent.receive();
        while (frame.type() == FrameType.DATA) {
            frame = bench.agent.receive();
        }
        assertThat(frame.type()).isEqualTo(FrameType.SHARED);
        assertThat(AgentBench.failure(writing)).hasMessage("the client went away");
        bench.agent.receive(FrameType.CANCEL);
        assertThat(lanes.takeIn()).isEmpty();
        assertThat(blocks()).isPositive();
        closeCancelled(channel);
        assertThat(blocks()).isZero();
        lanes.takeIn().orElseThrow().close();
    }

    @Test
    void aLaneOfADownloadThatIsGivenUpIsTheNextOnesWhenTheAgentHasClosed() throws Exception {
        Future<FileEntry> reading = bench.host(() -> sandbox().read(PATH, FileAccess.DEFAULT, 0, -1, bytes -> {
            throw new IllegalStateException("the client went away");
        }));
        bench.agent.send(
                ScriptedAgent.close(bench.agent.receiveOpen(RequestKind.STAT).channel(), file(SIZE)));
        int channel = bench.agent.receiveOpen(RequestKind.READ).channel();
        bench.agent.send(ScriptedAgent.shared(channel, 0, 1));
        assertThat(AgentBench.failure(reading)).hasMessage("the client went away");
        bench.agent.receive(FrameType.CANCEL);
        assertThat(lanes.takeOut()).isEmpty();
        closeCancelled(channel);
        lanes.takeOut().orElseThrow().close();
    }

    /// And waits until the host knows.
    private void closeCancelled(int channel) throws Exception {
        bench.agent.send(ScriptedAgent.close(
                channel,
                Fields.builder().number(Tag.STATUS, Status.CANCELLED.code()).build()));
        Future<FileEntry> after = bench.host(() -> sandbox().stat(PATH, FileAccess.DEFAULT));
        bench.agent.send(
                ScriptedAgent.close(bench.agent.receiveOpen(RequestKind.STAT).channel(), file(1)));
        AgentBench.result(after);
    }

    @Test
    void aLaneThatNobodyClosedIsGivenBackWithTheConnection() throws Exception {
        Future<FileEntry> reading = bench.host(() -> sandbox().read(PATH, FileAccess.DEFAULT, 0, -1, bytes -> {
            throw new IllegalStateException("the client went away");
        }));
        bench.agent.send(
                ScriptedAgent.close(bench.agent.receiveOpen(RequestKind.STAT).channel(), file(SIZE)));
        int channel = bench.agent.receiveOpen(RequestKind.READ).channel();
        bench.agent.send(ScriptedAgent.shared(channel, 0, 1));
        assertThat(AgentBench.failure(reading)).hasMessage("the client went away");
        assertThat(lanes.takeOut()).isEmpty();
        bench.connection.close();
        lanes.takeOut().orElseThrow().close();
    }
}
