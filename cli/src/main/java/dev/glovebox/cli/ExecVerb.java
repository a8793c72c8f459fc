package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.TransportException;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.TerminalSet;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox exec`: a program in a sandbox that is there.
@Command(name = "exec", description = "Run a program in a sandbox; its exit status is ours.", sortOptions = false)
final class ExecVerb implements Callable<Integer> {
    /// What a pipe holds: each piece is a request, and two records of the audit log.
    private static final int INPUT_BYTES = 64 * 1024;

    /// As shells say it: there is such a program, but it cannot be run; and there is none.
    private static final int NOT_EXECUTABLE = 126;

    private static final int NOT_FOUND = 127;

    @Mixin
    private Server server = new Server();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(
            names = {"-i", "--interactive"},
            description = "Pass our own input on.")
    private boolean interactive;

    @Option(
            names = {"-t", "--tty"},
            description = "Give it a terminal: ours, which must be one.")
    private boolean tty;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "NAME",
            description = "As whom it runs inside, such as root.")
    private @Nullable String user;

    @Option(
            names = {"-c", "--code"},
            paramLabel = "CODE",
            description = "Program text instead of a program's name.")
    private @Nullable String code;

    @Option(
            names = {"--lang", "--language"},
            paramLabel = "LANG",
            description = "Of the code; that of the sandbox if left out.")
    private @Nullable String language;

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "An environment variable.")
    private Map<String, String> environment = new LinkedHashMap<>();

    @Option(names = "--directory", paramLabel = "PATH", description = "Where it starts.")
    private @Nullable String directory;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say at the end how it went.")
    private boolean verbose;

    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Parameters(index = "1..*", paramLabel = "-- PROGRAM ARGS", description = "The program and its arguments.")
    private List<String> words = new ArrayList<>();

    @Override
    public Integer call() {
        Optional<TerminalSet> size = tty ? Terminal.size() : Optional.empty();
        if (tty && size.isEmpty()) {
            throw new IllegalArgumentException("-t needs a terminal, and our standard input is none: leave it out");
        }
        try (Glovebox client = server.require()) {
            Sandbox sandbox = client.sandboxes().get(id);
            ExecutionResponse response = tty ? inTerminal(sandbox, size.get()) : streamed(sandbox);
            if (verbose) {
                Duration took = Duration.of(response.usage().wallMicros(), ChronoUnit.MICROS);
                Messages.note(Messages.safe(response.outcome().sentence()) + " · " + Amounts.show(took));
            } else if (!response.outcome().word().equals("exited")) {
                Messages.note("glovebox: " + Messages.safe(response.outcome().sentence()));
            }
            return response.outcome().exitStatus();
        } catch (ApiException refusal) {
            int status = statusOf(refusal.code());
            if (status == Main.FAILED) {
                throw refusal;
            }
            Messages.note("glovebox: " + Messages.safe(refusal.detail()));
            return status;
        }
    }

    private static int statusOf(String code) {
        return switch (code) {
            case "file_not_found" -> NOT_FOUND;
            case "forbidden" -> NOT_EXECUTABLE;
            default -> Main.FAILED;
        };
    }

    private ExecutionResponse streamed(Sandbox sandbox) {
        GuestOutput output = new GuestOutput(null);
        ExecutionResponse response =
                sandbox.run(request(sandbox, interactive, null), interactive ? new Feeder(sandbox, output) : output);
        output.finish();
        return response;
    }

    private ExecutionResponse inTerminal(Sandbox sandbox, TerminalSet size) {
        try (Terminal _ = Terminal.raw().orElseThrow();
                Resizer resizer = new Resizer(sandbox, size)) {
            Feeder feeder = new Feeder(sandbox, new TerminalOutput());
            return sandbox.run(request(sandbox, true, size), feeder.telling(resizer::begin));
        }
    }

    private CommandRequest request(Sandbox sandbox, boolean takesInput, @Nullable TerminalSet terminal) {
        return new CommandRequest(
                words,
                code == null ? null : language == null ? sandbox.details().language() : language,
                code,
                null,
                null,
                environment,
                directory,
                null,
                takesInput,
                limits.toWire(),
                user,
                terminal);
    }

    /// Passes our input on from the moment the process is there.
    private record Feeder(Sandbox sandbox, OutputListener output, LongConsumer onStart) implements OutputListener {
        Feeder(Sandbox sandbox, OutputListener output) {
            this(sandbox, output, _ -> {});
        }

        Feeder telling(LongConsumer listener) {
            return new Feeder(sandbox, output, listener);
        }

        @Override
        public void started(long pid) {
            onStart.accept(pid);
            Thread.ofPlatform().daemon().name("stdin").start(() -> feed(pid));
        }

        private void feed(long pid) {
            byte[] buffer = new byte[INPUT_BYTES];
            try {
                for (int count = System.in.read(buffer); count >= 0; count = System.in.read(buffer)) {
                    sandbox.writeInput(pid, Arrays.copyOf(buffer, count), false);
                }
                sandbox.writeInput(pid, new byte[0], true);
            } catch (IOException | ApiException | TransportException e) {
                // The process ended; how, is told elsewhere.
            }
        }

        @Override
        public void stdout(byte[] bytes) {
            output.stdout(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {
            output.stderr(bytes);
        }

        @Override
        public void result(RichResult result) {
            output.result(result);
        }
    }
}
