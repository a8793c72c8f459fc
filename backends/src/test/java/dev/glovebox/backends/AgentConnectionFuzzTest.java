package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An honest agent's bytes with a few wrong ones: a process and a file request end, with a result or a refusal, and
/// nobody waits for ever. The seeds are fixed.
@Timeout(60)
class AgentConnectionFuzzTest {
    private static final int ROUNDS = 150;

    @TempDir
    Path directory;

    @Test
    void endsEveryRequestWhateverTheAgentSends() throws Exception {
        Random random = new Random(0xf022);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            refused += round(random) ? 0 : 1;
        }
        assertThat(refused).as("some were refused and some were not").isBetween(ROUNDS / 20, ROUNDS);
    }

    /// Whether the file request had an answer.
    private boolean round(Random random) throws Exception {
        try (AgentBench bench = AgentBench.open(directory)) {
            AgentSandbox sandbox = bench.sandbox();
            Execution.ProcessSpec spec = new Execution.ProcessSpec(
                    List.of("python"), Optional.empty(), Map.of(), GuestPath.HOME, false, ResourceLimits.DEFAULT);
            Future<Execution.Result> run =
                    bench.host(() -> sandbox.start(new ProcessId(1), spec, ExecutionSink.DISCARD));
            bench.agent.receiveOpen(RequestKind.PROCESS);
            Future<Boolean> stat =
                    bench.host(() -> !sandbox.stat(GuestPath.HOME).path().isEmpty());
            bench.agent.receiveOpen(RequestKind.STAT);
            byte[] bytes = honestBytes();
            for (int wrong = random.nextInt(4); wrong > 0; wrong--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            send(bench, bytes);
            bench.agent.close();
            ends(run);
            return ends(stat);
        }
    }

    private static void send(AgentBench bench, byte[] bytes) {
        try {
            bench.agent.sendBytes(ByteBuffer.wrap(bytes));
        } catch (UncheckedIOException _) {
            // The host had enough in the middle.
        }
    }

    private static boolean ends(Future<?> action) throws Exception {
        try {
            AgentBench.result(action);
            return true;
        } catch (ExecutionException failure) {
            assertThat(failure.getCause()).isInstanceOf(GloveboxException.class);
            return false;
        }
    }

    /// The process is channel 1, the file request channel 2.
    private static byte[] honestBytes() {
        Fields result = Fields.builder()
                .text(Tag.MIME_TYPE, "text/plain")
                .text(Tag.MIME_CONTENT, "1")
                .build();
        List<Frame> frames = List.of(
                ScriptedAgent.started(1),
                ScriptedAgent.data(1, Protocol.STDOUT, "hello"),
                ScriptedAgent.credit(1, Protocol.STDIN, 100),
                ScriptedAgent.data(1, Protocol.RECORDS, ScriptedAgent.record(result)),
                Frame.of(FrameType.END, Protocol.STDOUT, 1),
                new Frame(FrameType.PING, 0, 0, new byte[3]),
                ScriptedAgent.close(
                        1,
                        ScriptedAgent.exited(0).number(Tag.USED_CPU_MICROS, 5).build()),
                ScriptedAgent.close(
                        2,
                        ScriptedAgent.ok()
                                .text(Tag.PATH, "/home/user")
                                .number(Tag.FILE_MODIFIED, 5)
                                .build()));
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        frames.forEach(frame -> bytes.put(frame.encode()));
        byte[] joined = new byte[bytes.position()];
        bytes.flip().get(joined);
        return joined;
    }
}
