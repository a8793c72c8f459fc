package dev.glovebox.cli;

import dev.glovebox.sdk.Contents;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.sdk.RunService;
import dev.glovebox.server.Embedded;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.OutcomeReport;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.UsageReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox run`: one program, once, in a sandbox of its own.
@Command(
        name = "run",
        description = "Run a program in a sandbox of its own; its exit status is ours.",
        sortOptions = false)
final class RunVerb implements Callable<Integer> {
    @Mixin
    private Server server = new Server();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = {"-c", "--code"},
            paramLabel = "CODE",
            description = "The program itself, instead of a file.")
    private @Nullable String code;

    @Option(
            names = {"--lang", "--language"},
            paramLabel = "LANG",
            description = "python, javascript, typescript; else told by the file's name, or python.")
    private @Nullable String language;

    @Option(names = "--tier", paramLabel = "TIER", description = "auto (the default), wasm, isolate, ...")
    private @Nullable String tier;

    @Option(
            names = "--template",
            paramLabel = "NAME",
            description = "What a Linux sandbox starts from, such as base or code.")
    private @Nullable String template;

    @Option(
            names = "--file",
            paramLabel = "LOCAL[:PATH]",
            description = "A file to hand in, below the sandbox's home directory unless absolute.")
    private List<String> files = new ArrayList<>();

    @Option(names = "--fetch", paramLabel = "PATH[:LOCAL]", description = "A file to get back at the end.")
    private List<String> fetch = new ArrayList<>();

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "An environment variable.")
    private Map<String, String> environment = new LinkedHashMap<>();

    @Option(names = "--stdin", paramLabel = "FILE", description = "What the program reads; '-' is our own input.")
    private @Nullable String stdin;

    @Option(names = "--capture", description = "Show the value of the last expression.")
    private boolean capture;

    @Option(names = "--save-results", paramLabel = "DIR", description = "Write results (images, ...) as files.")
    private @Nullable Path results;

    @Option(names = "--json", description = "Answer with everything as JSON.")
    private boolean json;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say at the end how it went.")
    private boolean verbose;

    @Parameters(
            paramLabel = "FILE [-- ARGS]",
            arity = "0..*",
            description = "The program ('-' is our own input), and after '--' its arguments.")
    private List<String> words = new ArrayList<>();

    private volatile boolean isEnding;

    @Override
    public Integer call() throws IOException {
        RunRequest request = request();
        fetch.forEach(wanted -> LocalFile.requireDirectoryOf(local(wanted)));
        Optional<Glovebox> found = server.find();
        try (RunService service =
                found.isPresent() ? found.get() : Embedded.open(server.home().directory())) {
            Thread closing = new Thread(() -> end(service), "close-on-interrupt");
            Runtime.getRuntime().addShutdownHook(closing);
            int status = json ? answer(service, request) : show(service, request);
            forget(closing);
            return status;
        }
    }

    /// A signal ends the process.
    private void end(RunService service) {
        isEnding = true;
        service.close();
    }

    private void forget(Thread closing) {
        try {
            Runtime.getRuntime().removeShutdownHook(closing);
        } catch (IllegalStateException _) {
            isEnding = true;
            awaitEndIfEnding();
        }
    }

    /// What comes of a run after a signal is nobody's concern any more.
    private RunResponse unlessEnding(Supplier<RunResponse> run) {
        RunResponse response;
        try {
            response = run.get();
        } catch (RuntimeException e) {
            awaitEndIfEnding();
            throw e;
        }
        awaitEndIfEnding();
        return response;
    }

    private void awaitEndIfEnding() {
        while (isEnding) {
            LockSupport.park();
        }
    }

    private int answer(RunService service, RunRequest request) throws IOException {
        RunResponse response = unlessEnding(() -> service.run(request));
        boolean isComplete = saveFetched(response);
        Messages.say(new String(RecordJson.write(response), StandardCharsets.UTF_8));
        return status(response.outcome(), isComplete);
    }

    private int show(RunService service, RunRequest request) throws IOException {
        GuestOutput output = new GuestOutput(results);
        RunResponse response = unlessEnding(() -> service.run(request, output));
        if (capture) {
            output.error(response.error());
        }
        output.finish();
        boolean isComplete = saveFetched(response);
        OutcomeReport outcome = response.outcome();
        if (verbose || output.isWatched()) {
            Messages.note(summary(request, response));
        } else if (!outcome.word().equals("exited")) {
            Messages.note("glovebox: " + Messages.safe(outcome.sentence()));
        }
        return status(outcome, isComplete);
    }

    /// The guest's own, unless it says that all is well and a file that was asked for is not there.
    private static int status(OutcomeReport outcome, boolean isComplete) {
        return outcome.exitStatus() == 0 && !isComplete ? Main.FAILED : outcome.exitStatus();
    }

    /// `wasm · python · exited with status 0 · 12 ms · 9.8 MiB · audit 17`.
    private static String summary(RunRequest request, RunResponse response) {
        UsageReport usage = response.usage();
        List<String> parts = new ArrayList<>();
        parts.add(response.tier());
        parts.add(request.module() != null ? "wasm module" : String.valueOf(request.language()));
        parts.add(Messages.safe(response.outcome().sentence()));
        parts.add(Amounts.show(Duration.of(usage.wallMicros(), ChronoUnit.MICROS)));
        if (usage.memoryPeakBytes() > 0) {
            parts.add(Amounts.show(usage.memoryPeakBytes()));
        }
        parts.add("audit " + response.auditId());
        return String.join(" · ", parts);
    }

    private RunRequest request() throws IOException {
        List<String> arguments = new ArrayList<>(words);
        String text = code;
        String module = null;
        String fileName = null;
        if (text == null) {
            if (arguments.isEmpty()) {
                throw new IllegalArgumentException("there is nothing to run: name a file, '-' or -c CODE");
            }
            String file = arguments.removeFirst();
            byte[] program = file.equals("-") ? System.in.readAllBytes() : LocalFile.read(Path.of(file));
            fileName = file.equals("-") ? null : Path.of(file).getFileName().toString();
            if (isModule(program)) {
                module = Base64.getEncoder().encodeToString(program);
            } else {
                text = text(file, program);
            }
        }
        return new RunRequest(
                module != null ? null : languageOf(fileName),
                tier,
                text,
                module,
                fileName,
                arguments,
                environment.isEmpty() ? null : environment,
                stdin == null ? null : Contents.of(input(stdin)),
                filesIn(),
                fetch.isEmpty()
                        ? null
                        : fetch.stream().map(path -> split(path)[0]).toList(),
                capture,
                limits.toWire(),
                network.toWire(),
                template);
    }

    private static byte[] input(String stdin) throws IOException {
        return stdin.equals("-") ? System.in.readAllBytes() : LocalFile.read(Path.of(stdin));
    }

    private static boolean isModule(byte[] program) {
        return program.length > 4 && program[0] == 0 && program[1] == 'a' && program[2] == 's' && program[3] == 'm';
    }

    private static String text(String file, byte[] program) {
        String text = Contents.of(program).text();
        if (text == null) {
            throw new IllegalArgumentException(
                    "the program " + file + " is neither text in UTF-8 nor a WebAssembly module");
        }
        return text;
    }

    private @Nullable String languageOf(@Nullable String fileName) {
        if (language != null) {
            return language;
        }
        return fileName == null || fileName.indexOf('.') < 0 ? "python" : Languages.ofFileName(fileName);
    }

    private @Nullable Map<String, Content> filesIn() throws IOException {
        if (files.isEmpty()) {
            return null;
        }
        Map<String, Content> contents = new LinkedHashMap<>();
        for (String file : files) {
            String[] parts = split(file);
            Path local = Path.of(parts[0]);
            String path = parts.length > 1 ? parts[1] : local.getFileName().toString();
            contents.put(path, Contents.of(LocalFile.read(local)));
        }
        return contents;
    }

    /// @return whether the program left all files that were asked for
    private boolean saveFetched(RunResponse response) throws IOException {
        boolean isComplete = true;
        for (String wanted : fetch) {
            String[] parts = split(wanted);
            String path = parts[0].startsWith("/") ? parts[0] : "/home/user/" + parts[0];
            Content content = response.files().get(path);
            if (content == null) {
                Messages.note("glovebox: the program left no file " + Messages.safe(path));
                isComplete = false;
                continue;
            }
            Files.write(local(wanted), Contents.bytes(content));
        }
        return isComplete;
    }

    /// Where a file that is fetched goes.
    private static Path local(String wanted) {
        String[] parts = split(wanted);
        return Path.of(parts.length > 1 ? parts[1] : parts[0].substring(parts[0].lastIndexOf('/') + 1));
    }

    /// At its last colon.
    private static String[] split(String pair) {
        int colon = pair.lastIndexOf(':');
        return colon <= 0 || colon == pair.length() - 1
                ? new String[] {pair}
                : new String[] {pair.substring(0, colon), pair.substring(colon + 1)};
    }
}
