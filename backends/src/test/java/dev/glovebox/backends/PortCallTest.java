package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Connections to ports; the test is the agent.
@Timeout(60)
class PortCallTest {
    private static final Duration SHORT = Duration.ofMillis(150);

    @TempDir
    Path directory;

    private final QueuePeer peer = new QueuePeer();
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

    private Future<Boolean> connect(AgentSandbox to) {
        return bench.host(() -> {
            to.connect(8080, peer);
            return true;
        });
    }

    /// Asks for a connection, and has the agent make it.
    private int connected() {
        int channel = bench.agent.receiveOpen(RequestKind.CONNECT).channel();
        bench.agent.send(started(channel));
        return channel;
    }

    private static Frame started(int channel) {
        return ScriptedAgent.data(
                channel,
                Protocol.RECORDS,
                ScriptedAgent.record(Fields.builder().flag(Tag.STARTED, true).build()));
    }

    private void closeOk(int channel) {
        bench.agent.send(ScriptedAgent.close(channel, ScriptedAgent.ok().build()));
    }

    private void refuse(int channel, Status status, String message) {
        bench.agent.send(ScriptedAgent.close(
                channel,
                Fields.builder()
                        .number(Tag.STATUS, status.code())
                        .text(Tag.MESSAGE, message)
                        .build()));
    }

    private String receiveText() {
        return new String(bench.agent.receive(FrameType.DATA).payload(), StandardCharsets.UTF_8);
    }

    private static Frame end(int channel) {
        return Frame.of(FrameType.END, Protocol.CONTENT, channel);
    }

    @Test
    void carriesBytesBothWaysAndEachEndForItself() throws Exception {
        Future<Boolean> call = connect(sandbox);
        Frame open = bench.agent.receiveOpen(RequestKind.CONNECT);
        assertThat(Fields.decode(open.payload()).number(Tag.PORT)).contains(8080L);
        peer.say("ping");
        bench.agent.send(started(open.channel()));
        assertThat(receiveText()).isEqualTo("ping");
        bench.agent.send(ScriptedAgent.data(open.channel(), Protocol.CONTENT, "pong"), end(open.channel()));
        assertThat(peer.take()).isEqualTo("connected");
        assertThat(peer.take()).isEqualTo("pong");
        assertThat(peer.take()).isEqualTo("end");
        peer.say("more");
        assertThat(receiveText()).isEqualTo("more");
        peer.sayNoMore();
        assertThat(bench.agent.receive(FrameType.END).stream()).isEqualTo(Protocol.CONTENT);
        closeOk(open.channel());
        AgentBench.result(call);
        assertThat(peer.take()).isEqualTo("close");
    }

    @Test
    void thePeerMayEndFirst() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        peer.sayNoMore();
        bench.agent.receive(FrameType.END);
        bench.agent.send(ScriptedAgent.data(channel, Protocol.CONTENT, "late"), end(channel));
        closeOk(channel);
        AgentBench.result(call);
        assertThat(peer.heard()).containsExactly("connected", "late", "end", "close");
    }

    @Test
    void sendsOnlyWhatThereIsCreditFor() throws Exception {
        byte[] content = new byte[1_000_000];
        new Random(1).nextBytes(content);
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        peer.say(content);
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        while (got.size() < Protocol.INITIAL_CREDIT_BYTES) {
            got.writeBytes(bench.agent.receive(FrameType.DATA).payload());
        }
        // The credit is used up. What comes next is the answer to the PING, not content.
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
        bench.agent.receive(FrameType.PONG);
        bench.agent.send(ScriptedAgent.credit(channel, Protocol.CONTENT, content.length));
        while (got.size() < content.length) {
            got.writeBytes(bench.agent.receive(FrameType.DATA).payload());
        }
        assertThat(got.toByteArray()).isEqualTo(content);
        peer.sayNoMore();
        bench.agent.receive(FrameType.END);
        bench.agent.send(end(channel));
        closeOk(channel);
        AgentBench.result(call);
    }

    @Test
    void givesNoCreditWhileThePeerDoesNotTake() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        peer.holdWrites();
        byte[] chunk = new byte[Protocol.PAYLOAD_BYTES_MAX];
        for (int i = 0; i < Protocol.INITIAL_CREDIT_BYTES / chunk.length; i++) {
            bench.agent.send(ScriptedAgent.data(channel, Protocol.CONTENT, chunk));
        }
        bench.agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
        bench.agent.receive(FrameType.PONG);
        peer.releaseWrites();
        int credit = 0;
        while (credit < Protocol.INITIAL_CREDIT_BYTES) {
            credit += ByteBuffer.wrap(bench.agent.receive(FrameType.CREDIT).payload())
                    .getInt();
        }
        closeOk(channel);
        AgentBench.result(call);
        assertThat(peer.heard()).doesNotContain("end").endsWith("close");
    }

    @Test
    void aPeerThatCannotBeReadFromEndsTheConnection() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        peer.leave();
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(channel);
        AgentBench.result(call);
        refuse(channel, Status.CANCELLED, "cancelled by the host");
        assertStillGood();
    }

    @Test
    void aPeerThatCannotBeWrittenToEndsTheConnection() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        peer.refuseWrites();
        bench.agent.send(ScriptedAgent.data(channel, Protocol.CONTENT, "x"));
        assertThat(bench.agent.receive(FrameType.CANCEL).channel()).isEqualTo(channel);
        AgentBench.result(call);
        refuse(channel, Status.CANCELLED, "cancelled by the host");
        assertStillGood();
    }

    @Test
    void leavesThePeerAloneWhenNothingListens() throws Exception {
        Future<Boolean> call = connect(sandbox);
        refuse(
                bench.agent.receiveOpen(RequestKind.CONNECT).channel(),
                Status.NOT_FOUND,
                "nothing listens on this port");
        assertThat(AgentBench.failure(call))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.PORT_CLOSED))
                .hasMessage("port 8080: nothing listens on this port");
        assertThat(peer.heard()).isEmpty();
    }

    @Test
    void theSandboxesEndIsTheConnectionsEvenIfThePeerDoesNotTake() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = connected();
        assertThat(peer.take()).isEqualTo("connected");
        peer.holdWrites();
        bench.agent.send(ScriptedAgent.data(channel, Protocol.CONTENT, "x"));
        peer.awaitHeldWrite();
        sandbox.close();
        AgentBench.result(call);
        assertThat(peer.heard()).endsWith("close").doesNotContain("end");
    }

    @Test
    void condemnsTheHostOfAnAgentThatBreaksTheRules() throws Exception {
        Future<Boolean> call = connect(sandbox);
        int channel = bench.agent.receiveOpen(RequestKind.CONNECT).channel();
        bench.agent.send(ScriptedAgent.data(channel, Protocol.CONTENT, "too early"));
        assertThat(AgentBench.failure(call)).hasMessageContaining("a connection that does not stand");
        assertThat(bench.condemnation()).contains("a connection that does not stand");
    }

    @Test
    void condemnsTheHostOfAnAgentThatSaysNothing() throws Exception {
        Future<Boolean> call = connect(bench.sandbox(new Patience(SHORT, SHORT, SHORT)));
        assertThat(AgentBench.failure(call)).hasMessageContaining("neither connected nor refused");
        assertThat(bench.condemnation()).startsWith("it neither connected");
    }

    private void assertStillGood() throws Exception {
        QueuePeer second = new QueuePeer();
        Future<Boolean> call = bench.host(() -> {
            sandbox.connect(80, second);
            return true;
        });
        int channel = bench.agent.receiveOpen(RequestKind.CONNECT).channel();
        bench.agent.send(started(channel), end(channel));
        second.sayNoMore();
        bench.agent.receive(FrameType.END);
        closeOk(channel);
        AgentBench.result(call);
        assertThat(second.heard()).containsExactly("connected", "end", "close");
        assertThat(bench.condemned).isEmpty();
    }
}
