package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class AgentListenerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] STRANGE_TOKEN = new byte[32];

    @TempDir
    Path directory;

    private AgentListener listener;

    @BeforeEach
    void open() throws IOException {
        listener = AgentListener.open(directory.resolve("agents.sock"), IoThreads.VIRTUAL);
    }

    @AfterEach
    void close() {
        listener.close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void welcomesAnAgentThatSaysTheTokenThatIsExpected() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect()) {
            agent.send(ScriptedAgent.hello(expected.token()));

            Frame welcome = agent.receive(FrameType.WELCOME);
            assertThat(Fields.decode(welcome.payload()).number(Tag.VERSION)).contains(1L);
            try (AgentConnection _ = expected.take(PATIENCE)) {
                agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
                agent.receive(FrameType.PONG);
            }
            agent.awaitEnd();
        }
    }

    @Test
    void welcomesAGreetingThatComesByteByByte() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect()) {
            ByteBuffer hello = ScriptedAgent.hello(expected.token()).encode();
            while (hello.hasRemaining()) {
                agent.sendBytes(ByteBuffer.wrap(new byte[] {hello.get()}));
            }
            agent.receive(FrameType.WELCOME);
            expected.take(PATIENCE).close();
        }
    }

    @Test
    void knowsWhichAgentIsWhich() throws Exception {
        try (AgentListener.Expected first = listener.expect();
                AgentListener.Expected second = listener.expect();
                ScriptedAgent secondAgent = connect();
                ScriptedAgent firstAgent = connect()) {
            assertThat(first.tokenHex()).hasSize(64).isNotEqualTo(second.tokenHex());
            secondAgent.send(ScriptedAgent.hello(second.token()));
            firstAgent.send(ScriptedAgent.hello(first.token()));
            try (AgentConnection _ = first.take(PATIENCE)) {
                try (AgentConnection _ = second.take(PATIENCE)) {
                    firstAgent.receive(FrameType.WELCOME);
                    secondAgent.receive(FrameType.WELCOME);
                }
                secondAgent.awaitEnd();
                firstAgent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
                firstAgent.receive(FrameType.PONG);
            }
        }
    }

    @Test
    void takesATokenOnce() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect();
                ScriptedAgent thief = connect()) {
            agent.send(ScriptedAgent.hello(expected.token()));
            agent.receive(FrameType.WELCOME);
            thief.send(ScriptedAgent.hello(expected.token()));
            thief.awaitEnd();
            expected.take(PATIENCE).close();
        }
    }

    @Test
    void refusesATokenThatNobodyWaitsForAnyMore() throws Exception {
        AgentListener.Expected expected = listener.expect();
        expected.close();
        try (ScriptedAgent agent = connect()) {
            agent.send(ScriptedAgent.hello(expected.token()));
            agent.awaitEnd();
        }
    }

    @Test
    void closesAConnectionThatNobodyTook() throws Exception {
        try (ScriptedAgent agent = connect()) {
            try (AgentListener.Expected expected = listener.expect()) {
                agent.send(ScriptedAgent.hello(expected.token()));
                agent.receive(FrameType.WELCOME);
            }
            agent.awaitEnd();
        }
    }

    static Stream<Arguments> strangers() {
        Frame hello = ScriptedAgent.hello(STRANGE_TOKEN);
        Fields version = Fields.builder().number(Tag.VERSION, 1).build();
        return Stream.of(
                stranger("a token that is not expected", hello.encode()),
                stranger(
                        "no token",
                        ScriptedAgent.onConnection(FrameType.HELLO, version).encode()),
                stranger("no fields", Frame.of(FrameType.HELLO, 0, 0).encode()),
                stranger("fields that are none", new Frame(FrameType.HELLO, 0, 0, new byte[3]).encode()),
                stranger("another frame", Frame.of(FrameType.PING, 0, 0).encode()),
                stranger("a frame that is none", ByteBuffer.wrap(new byte[12])),
                stranger(
                        "HTTP",
                        ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII))),
                stranger("a length of 4 GiB", ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, 1, 0, 0, 0, 0, 0, 0, 0})));
    }

    private static Arguments stranger(String what, ByteBuffer bytes) {
        return Arguments.of(what, bytes);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangers")
    void closesAConnectionThatSays(String what, ByteBuffer bytes) throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect()) {
            agent.sendBytes(bytes);
            agent.awaitEnd();
            assertHonestAgentIsWelcome(expected);
        }
    }

    @Test
    void refusesAnotherVersionWhateverTheTokenAndKeepsWaiting() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect()) {
            agent.send(ScriptedAgent.onConnection(
                    FrameType.HELLO,
                    Fields.builder()
                            .number(Tag.VERSION, 2)
                            .bytes(Tag.TOKEN, expected.token())
                            .build()));
            agent.awaitEnd();
            assertHonestAgentIsWelcome(expected);
        }
    }

    @Test
    void refusesAnAgentThatDoesNotWaitForItsWelcome() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect()) {
            ByteBuffer hello = ScriptedAgent.hello(expected.token()).encode();
            ByteBuffer both = ByteBuffer.allocate(hello.remaining() * 2);
            both.put(hello.duplicate()).put(hello).flip();
            agent.sendBytes(both);
            agent.awaitEnd();
            assertHonestAgentIsWelcome(expected);
        }
    }

    @Test
    void countsTheFirstOfTwoTokens() throws Exception {
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent agent = connect();
                ScriptedAgent stranger = connect()) {
            stranger.send(ScriptedAgent.onConnection(FrameType.HELLO, tokens(STRANGE_TOKEN, expected.token())));
            stranger.awaitEnd();
            agent.send(ScriptedAgent.onConnection(FrameType.HELLO, tokens(expected.token(), STRANGE_TOKEN)));
            agent.receive(FrameType.WELCOME);
            expected.take(PATIENCE).close();
        }
    }

    @Test
    void closesAConnectionThatGreetsTooSlowly() throws Exception {
        listener.close();
        listener = AgentListener.open(directory.resolve("agents.sock"), IoThreads.VIRTUAL, Duration.ofMillis(100));
        try (AgentListener.Expected expected = listener.expect();
                ScriptedAgent silent = connect();
                ScriptedAgent slow = connect()) {
            slow.sendBytes(ScriptedAgent.hello(expected.token()).encode().limit(20));
            silent.awaitEnd();
            slow.awaitEnd();
        }
    }

    @Test
    void welcomesAnHonestAgentAmongHundredsThatSayNothing() throws Exception {
        listener.close();
        // Nobody is ended for being slow here: only for being one too many.
        listener = AgentListener.open(directory.resolve("agents.sock"), IoThreads.VIRTUAL, Duration.ofHours(1));
        List<ScriptedAgent> silent = new ArrayList<>();
        try (AgentListener.Expected expected = listener.expect()) {
            for (int i = 0; i < 200; i++) {
                silent.add(connect());
            }
            assertHonestAgentIsWelcome(expected);
            // The oldest had to go; the youngest have their time.
            silent.getFirst().awaitEnd();
            assertThat(silent.getLast().trySend(Frame.of(FrameType.PING, 0, 0))).isTrue();
        } finally {
            silent.forEach(ScriptedAgent::close);
        }
    }

    @Test
    void welcomesTwoHundredAgentsAtOnce() throws Exception {
        List<AgentListener.Expected> expected = new ArrayList<>();
        List<ScriptedAgent> agents = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                expected.add(listener.expect());
                agents.add(connect());
                agents.getLast().send(ScriptedAgent.hello(expected.getLast().token()));
            }
            for (int i = 0; i < 200; i++) {
                agents.get(i).receive(FrameType.WELCOME);
                expected.get(i).take(PATIENCE).close();
            }
        } finally {
            agents.forEach(ScriptedAgent::close);
            expected.forEach(AgentListener.Expected::close);
        }
    }

    @Test
    void refusesInWordsWhenAnAgentDoesNotCome() {
        try (AgentListener.Expected expected = listener.expect()) {
            assertThatThrownBy(() -> expected.take(Duration.ofMillis(20)))
                    .isInstanceOfSatisfying(
                            GloveboxException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.BACKEND_LOST))
                    .hasMessage("an agent did not connect within 20 ms");
        }
    }

    @Test
    void tellsWhoWaitsThatAnAgentWillNotCome() {
        try (AgentListener.Expected expected = listener.expect()) {
            expected.giveUp("its process ended with status 3");
            assertThatThrownBy(() -> expected.take(PATIENCE))
                    .isInstanceOf(GloveboxException.class)
                    .hasMessage("an agent did not connect: its process ended with status 3");
        }
    }

    @Test
    void endsEveryWaitWhenItIsClosedAndLeavesConnectionsAlone() throws Exception {
        try (AgentListener.Expected connected = listener.expect();
                AgentListener.Expected waiting = listener.expect();
                ScriptedAgent agent = connect();
                ScriptedAgent silent = connect()) {
            agent.send(ScriptedAgent.hello(connected.token()));
            agent.receive(FrameType.WELCOME);
            try (AgentConnection connection = connected.take(PATIENCE)) {
                CompletableFuture<String> lost = new CompletableFuture<>();
                connection.onLost(lost::complete);
                listener.close();

                assertThatThrownBy(() -> waiting.take(PATIENCE)).hasMessageEndingWith("this server is stopping");
                assertThatThrownBy(() -> listener.expect().take(PATIENCE))
                        .hasMessageEndingWith("this server is stopping");
                silent.awaitEnd();
                agent.send(new Frame(FrameType.PING, 0, 0, new byte[0]));
                agent.receive(FrameType.PONG);
                assertThat(lost).isNotDone();
            }
        }
    }

    private static Fields tokens(byte[] first, byte[] second) {
        return Fields.builder()
                .number(Tag.VERSION, 1)
                .bytes(Tag.TOKEN, first)
                .bytes(Tag.TOKEN, second)
                .build();
    }

    private void assertHonestAgentIsWelcome(AgentListener.Expected expected) throws Exception {
        try (ScriptedAgent agent = connect()) {
            agent.send(ScriptedAgent.hello(expected.token()));
            agent.receive(FrameType.WELCOME);
            expected.take(PATIENCE).close();
        }
    }

    private ScriptedAgent connect() throws IOException {
        return ScriptedAgent.connect(listener.path());
    }
}
