package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.e2b.ProcessConfig;
import dev.glovebox.wire.e2b.ProcessInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `process.Process`: starts processes, lets any number of clients follow and steer them. Thread-safe.
final class ProcessService {
    private static final int SIGNAL_KILL = 9;
    private static final int SIGNAL_TERMINATE = 15;
    private static final Duration KILL_PATIENCE = Duration.ofSeconds(2);
    private static final int TAG_CHARS_MAX = 1024;
    private static final int COLUMNS_DEFAULT = 80;
    private static final int ROWS_DEFAULT = 24;

    private final ProcessHub hub = new ProcessHub();
    private final Backlogs backlogs = new Backlogs();

    /// Starts a process and follows it. It lives on when the client goes away; its time-out ends it wherever the client
    /// is.
    void start(EnvdCall call) {
        Connect.streaming(call, (message, stream) -> {
            Optional<Duration> timeout = Connect.timeout(call);
            HostedProcess process = process(call, message, timeout);
            try (Fanout.Reader reader = hub.start(call, process)) {
                new ProcessStream(stream, reader, Connect.keepalive(call), process.hasTerminal())
                        .followToTimeout(timeout.isPresent());
            } catch (GloveboxException e) {
                throw explained(call, process, e);
            }
        });
    }

    /// What a refusal of the sandbox to start a process means for the client.
    private static RuntimeException explained(EnvdCall call, HostedProcess process, GloveboxException e) {
        Tier tier = call.target().sandbox().tier();
        if (e.code() == ErrorCode.UNSUPPORTED && !Tiers.isLinux(tier)) {
            return TierCommands.refused(tier, e.getMessage());
        }
        if (e.code() != ErrorCode.FILE_NOT_FOUND) {
            return e;
        }
        String directory = process.config().cwd();
        if (directory != null && isMissing(call, directory)) {
            return ConnectFailure.invalid("cwd '" + directory + "' does not exist");
        }
        return ConnectFailure.invalid("the process could not be started: " + e.getMessage());
    }

    private static boolean isMissing(EnvdCall call, String directory) {
        GuestUser user = call.user();
        try {
            call.execute(new Command.StatFile(call.target().id(), call.path(directory, user), EnvdCall.access(user)));
            return false;
        } catch (GloveboxException e) {
            return e.code() == ErrorCode.FILE_NOT_FOUND;
        }
    }

    private HostedProcess process(EnvdCall call, ConnectMessage message, Optional<Duration> timeout) {
        ConnectMessage asked = message.requiredMessage("process");
        Optional<TerminalSize> terminal = message.message("pty").map(ProcessService::size);
        Optional<String> tag = message.optionalText("tag");
        if (tag.isPresent() && tag.get().length() > TAG_CHARS_MAX) {
            throw ConnectFailure.invalid("a tag has at most " + TAG_CHARS_MAX + " characters");
        }
        ProcessConfig config = new ProcessConfig(
                asked.text("cmd"),
                asked.texts("args"),
                asked.textMap("envs"),
                asked.optionalText("cwd").filter(cwd -> !cwd.isEmpty()).orElse(null));
        if (config.cmd().isEmpty()) {
            throw ConnectFailure.invalid("the field 'cmd' is missing: there is nothing to run");
        }
        GuestUser user = call.user();
        Tier tier = call.target().sandbox().tier();
        Execution.ProcessSpec spec = new Execution.ProcessSpec(
                TierCommands.arguments(tier, config.cmd(), config.args()),
                Optional.empty(),
                environment(config.envs(), tier, user, terminal.isPresent()),
                directory(call, config, user),
                terminal.isPresent() || message.flag("stdin", true),
                limits(call, timeout),
                Optional.of(user),
                terminal);
        return new HostedProcess(spec, config, tag, backlogs);
    }

    private static GuestPath directory(EnvdCall call, ProcessConfig config, GuestUser user) {
        String asked = config.cwd();
        return asked == null ? call.homeOf(user) : call.path(asked, user);
    }

    private static Map<String, String> environment(
            Map<String, String> asked, Tier tier, GuestUser user, boolean hasTerminal) {
        if (!Tiers.isLinux(tier)) {
            return asked;
        }
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("LOGNAME", user.name());
        if (hasTerminal) {
            environment.put("TERM", "xterm-256color");
        }
        environment.putAll(asked);
        return environment;
    }

    /// Those of the sandbox. Only a time-out of its own bounds a process further.
    private static ResourceLimits limits(EnvdCall call, Optional<Duration> timeout) {
        ResourceLimits sandbox = call.target().sandbox().made().limits();
        Duration wall = timeout.filter(asked -> asked.compareTo(Limits.WALL_TIME_MAX) < 0)
                .filter(Duration::isPositive)
                .orElse(Limits.WALL_TIME_MAX);
        return new ResourceLimits(
                wall,
                Limits.CPU_TIME_MAX,
                sandbox.memoryBytes(),
                Limits.OUTPUT_BYTES_MAX,
                sandbox.diskBytes(),
                sandbox.fileCount());
    }

    private static TerminalSize size(ConnectMessage pty) {
        Optional<ConnectMessage> size = pty.message("size");
        long columns =
                size.map(asked -> asked.number("cols").orElse(COLUMNS_DEFAULT)).orElse((long) COLUMNS_DEFAULT);
        long rows = size.map(asked -> asked.number("rows").orElse(ROWS_DEFAULT)).orElse((long) ROWS_DEFAULT);
        return new TerminalSize(Math.clamp(columns, 0, Integer.MAX_VALUE), Math.clamp(rows, 0, Integer.MAX_VALUE));
    }

    /// Follows a process that runs, or tells how it ended a moment ago.
    void connect(EnvdCall call) {
        Connect.streaming(call, (message, stream) -> {
            Fanout fanout = hub.connect(call.target().id(), selector(message));
            Optional<Duration> timeout = Connect.timeout(call).filter(Duration::isPositive);
            boolean hasTerminal = hasTerminal(call, message);
            try (Fanout.Reader reader = fanout.subscribe()) {
                new ProcessStream(stream, reader, Connect.keepalive(call), hasTerminal).followFor(timeout);
            }
        });
    }

    private boolean hasTerminal(EnvdCall call, ConnectMessage message) {
        try {
            return hub.find(call.target().id(), selector(message)).hasTerminal();
        } catch (ConnectFailure ended) {
            return false; // It says nothing more.
        }
    }

    private static ProcessHub.Selector selector(ConnectMessage message) {
        return ProcessHub.Selector.of(message.requiredMessage("process"));
    }

    private HostedProcess find(EnvdCall call, ConnectMessage message) {
        return hub.find(call.target().id(), selector(message));
    }

    void list(EnvdCall call) {
        Connect.unary(call, _ -> {
            List<ProcessInfo> processes = hub.running(call.target().id()).stream()
                    .map(process -> new ProcessInfo(
                            process.config(), process.pid(), process.tag().orElse(null)))
                    .toList();
            return Map.of("processes", processes);
        });
    }

    void sendInput(EnvdCall call) {
        Connect.unary(call, message -> {
            write(call, find(call, message), message.requiredMessage("input"));
            return Map.of();
        });
    }

    /// Input as a stream: first which process, then any number of inputs.
    void streamInput(EnvdCall call) {
        Connect.receiving(call, messages -> {
            ConnectMessage first = messages.next()
                    .flatMap(message -> message.message("start"))
                    .orElseThrow(() -> ConnectFailure.invalid("the first message must have 'start'"));
            HostedProcess process = find(call, first);
            for (Optional<ConnectMessage> next = messages.next(); next.isPresent(); next = messages.next()) {
                Optional<ConnectMessage> data = next.get().message("data");
                if (data.isPresent()) {
                    write(call, process, data.get().requiredMessage("input"));
                }
            }
        });
    }

    private static void write(EnvdCall call, HostedProcess process, ConnectMessage input) throws InterruptedException {
        Optional<byte[]> typed = input.bytes("pty");
        byte[] bytes = typed.or(() -> input.bytes("stdin"))
                .orElseThrow(() -> ConnectFailure.invalid("an input has 'stdin' or 'pty'"));
        if (typed.isPresent() != process.hasTerminal()) {
            throw new ConnectFailure(
                    ConnectCode.FAILED_PRECONDITION,
                    process.hasTerminal()
                            ? "the process has a terminal: send its input as 'pty'"
                            : "the process has no terminal: send its input as 'stdin'");
        }
        process.requireInput();
        feed(call, process, bytes, false);
    }

    private static void feed(EnvdCall call, HostedProcess process, byte[] bytes, boolean end)
            throws InterruptedException {
        process.input.lockInterruptibly();
        try {
            call.execute(new Command.WriteInput(call.target().id(), process.id(), bytes, end));
        } catch (GloveboxException e) {
            throw HostedProcess.missing(e, process.pid());
        } finally {
            process.input.unlock();
        }
    }

    void closeStdin(EnvdCall call) {
        Connect.unary(call, message -> {
            HostedProcess process = find(call, message);
            if (process.hasTerminal()) {
                throw new ConnectFailure(
                        ConnectCode.FAILED_PRECONDITION,
                        "the process has a terminal, whose input does not end: send the end-of-file character");
            }
            process.requireInput();
            feed(call, process, new byte[0], true);
            return Map.of();
        });
    }

    void sendSignal(EnvdCall call) {
        Connect.unary(call, message -> {
            int signal = switch (message.word("signal")) {
                case "SIGNAL_SIGKILL", "9" -> SIGNAL_KILL;
                case "SIGNAL_SIGTERM", "15" -> SIGNAL_TERMINATE;
                default -> throw ConnectFailure.invalid("the field 'signal' must be SIGNAL_SIGKILL or SIGNAL_SIGTERM");
            };
            HostedProcess process = find(call, message);
            try {
                call.execute(new Command.SignalProcess(call.target().id(), process.id(), signal));
            } catch (GloveboxException e) {
                throw HostedProcess.missing(e, process.pid());
            }
            if (signal == SIGNAL_KILL) {
                // What was killed is not listed any more when its killer hears of it.
                process.awaitEnd(KILL_PATIENCE);
            }
            return Map.of();
        });
    }

    void update(EnvdCall call) {
        Connect.unary(call, message -> {
            HostedProcess process = find(call, message);
            Optional<TerminalSize> size = message.message("pty").map(ProcessService::size);
            if (size.isPresent()) {
                if (!process.hasTerminal()) {
                    throw new ConnectFailure(
                            ConnectCode.FAILED_PRECONDITION,
                            "the process with pid " + process.pid() + " has no terminal to resize");
                }
                try {
                    call.execute(new Command.ResizeTerminal(call.target().id(), process.id(), size.get()));
                } catch (GloveboxException e) {
                    throw HostedProcess.missing(e, process.pid());
                }
            }
            return Map.of();
        });
    }

    /// The bytes of a text that is known to be ASCII.
    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
