package dev.glovebox.backends;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The program that a test's cells run instead of the real one. What it does wrong, the value of `--warm` says.
final class FakeCell {
    /// It serves as a cell does. A file's LINK_TARGET is the process id, the environment or the arguments.
    static final String HONEST = "honest";
    /// It lives and never greets.
    static final String SILENT = "silent";
    /// It ends at once.
    static final String FALLEN = "fallen";
    /// It fills its log with what a terminal must not see, and is honest otherwise.
    static final String NOISY = "noisy";
    /// It refuses every sandbox.
    static final String FULL = "full";
    /// It answers SPAWN with what is no answer.
    static final String BROKEN = "broken";
    /// It does not answer SPAWN.
    static final String DEAF = "deaf";
    /// Its sandboxes refuse to be configured; when their connection ends, it says so in its log.
    static final String STUBBORN = "stubborn";
    /// It answers SPAWN, and no sandbox comes.
    static final String EMPTY = "empty";

    private static final PrintStream LOG = new PrintStream(System.err, true, StandardCharsets.UTF_8);

    private final Path socket;
    private final String mode;
    private final List<String> arguments;

    private FakeCell(List<String> arguments) {
        this.arguments = arguments;
        this.socket = Path.of(after("--socket"));
        this.mode = after("--warm");
    }

    private String after(String option) {
        return arguments.get(arguments.indexOf(option) + 1);
    }

    public static void main(String[] arguments) throws IOException {
        FakeCell cell = new FakeCell(Arrays.asList(arguments));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String token = String.valueOf(input.readLine());
        Thread.ofPlatform().daemon().start(() -> endWith(input));
        cell.serve(HexFormat.of().parseHex(token));
    }

    private static void endWith(BufferedReader input) {
        try {
            while (input.read() >= 0) {
                // Nothing is sent.
            }
        } catch (IOException _) {
            // An end like any other.
        }
        Runtime.getRuntime().halt(0);
    }

    private void serve(byte[] token) throws IOException {
        switch (mode) {
            case FALLEN -> Runtime.getRuntime().halt(3);
            case SILENT -> sleep();
            case NOISY -> makeNoise();
            default -> {}
        }
        try (ScriptedAgent control = ScriptedAgent.connect(socket)) {
            control.send(ScriptedAgent.hello(token));
            control.receive(FrameType.WELCOME);
            for (Optional<Frame> frame = control.tryReceive(); frame.isPresent(); frame = control.tryReceive()) {
                if (frame.get().type() == FrameType.OPEN && frame.get().stream() == RequestKind.SPAWN.code()) {
                    spawn(control, frame.get());
                }
            }
        }
        Runtime.getRuntime().halt(3);
    }

    private void spawn(ScriptedAgent control, Frame open) {
        byte[] token = Fields.decode(open.payload()).bytes(Tag.TOKEN);
        switch (mode) {
            case FULL -> control.send(refusal(open.channel(), Status.TOO_MANY, "this cell is full"));
            case BROKEN -> control.send(new Frame(FrameType.CLOSE, 0, open.channel(), new byte[] {1}));
            case DEAF -> {}
            case EMPTY ->
                control.send(
                        ScriptedAgent.close(open.channel(), ScriptedAgent.ok().build()));
            default -> {
                Thread.ofPlatform().daemon().start(() -> serveSandbox(token));
                control.send(
                        ScriptedAgent.close(open.channel(), ScriptedAgent.ok().build()));
            }
        }
    }

    private void serveSandbox(byte[] token) {
        try (ScriptedAgent agent = ScriptedAgent.connect(socket)) {
            agent.send(ScriptedAgent.hello(token));
            agent.receive(FrameType.WELCOME);
            for (Optional<Frame> frame = agent.tryReceive(); frame.isPresent(); frame = agent.tryReceive()) {
                if (frame.get().type() == FrameType.OPEN) {
                    agent.send(answer(frame.get()));
                }
            }
            LOG.println("a sandbox ended");
        } catch (IOException failure) {
            LOG.println(failure);
        }
    }

    private Frame answer(Frame open) {
        RequestKind kind = RequestKind.ofCode(open.stream());
        if (mode.equals(STUBBORN) && kind == RequestKind.CONFIGURE) {
            return refusal(open.channel(), Status.INVALID, "it will not be configured");
        }
        if (kind == RequestKind.PROCESS) {
            return ScriptedAgent.started(open.channel());
        }
        Fields.Builder close = ScriptedAgent.ok();
        if (kind == RequestKind.STAT) {
            String path = Fields.decode(open.payload()).requiredText(Tag.PATH);
            close.text(Tag.PATH, path).text(Tag.LINK_TARGET, fact(path));
        }
        return ScriptedAgent.close(open.channel(), close.build());
    }

    private String fact(String path) {
        return switch (path) {
            case "/pid" -> Long.toString(ProcessHandle.current().pid());
            case "/environment" -> String.join(" ", System.getenv().keySet());
            default -> String.join(" ", arguments);
        };
    }

    private static Frame refusal(int channel, Status status, String message) {
        return ScriptedAgent.close(
                channel,
                Fields.builder()
                        .number(Tag.STATUS, status.code())
                        .text(Tag.MESSAGE, message)
                        .build());
    }

    private static void makeNoise() {
        LOG.println("\u001b[2J\u009b31m\rgone\u202e");
        LOG.println("x".repeat(5_000_000));
        for (int i = 0; i < 20_000; i++) {
            LOG.println("line " + i);
        }
        // Far more than a pipe holds: this is only reached if somebody reads it all.
        LOG.flush();
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException _) {
            // Nobody does.
        }
    }
}
