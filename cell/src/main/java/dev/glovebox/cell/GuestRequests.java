package dev.glovebox.cell;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.Tag;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;

/// The requests that run guest code, or say how. Called by the connection's thread.
final class GuestRequests {
    private static final Pattern CONTEXT_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private final FrameSocket socket;
    private final Sandbox sandbox;
    private final CellServices services;
    private final IntConsumer forget;

    /// @param forget takes a channel out of the connection's list
    GuestRequests(FrameSocket socket, Sandbox sandbox, CellServices services, IntConsumer forget) {
        this.socket = socket;
        this.sandbox = sandbox;
        this.services = services;
        this.forget = forget;
    }

    void configure(Fields fields) {
        Sandbox.Settings settings = sandbox.settings();
        Map<String, String> environment = fields.has(Tag.ENVIRONMENT)
                ? withDefaults(Sandbox.ENVIRONMENT_DEFAULT, environment(fields))
                : settings.environment();
        GuestPath directory = fields.text(Tag.DIRECTORY).map(GuestPath::new).orElse(settings.directory());
        sandbox.configure(
                new Sandbox.Settings(RunLimits.read(fields, settings.limits()), environment, directory),
                fields.bytes(Tag.ENTROPY));
    }

    void process(int number, Fields fields, BiConsumer<Integer, Channel> add) {
        if (fields.has(Tag.COLUMNS)) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED, "a cell has no terminals; tiers that do are gvisor, microvm and jail");
        }
        Launch launch = launch(fields);
        Sandbox.Settings settings = sandbox.settings();
        ResourceLimits limits = RunLimits.read(fields, settings.limits());
        Map<String, String> environment = withDefaults(settings.environment(), environment(fields));
        GuestPath directory = directory(fields, settings);
        ChannelIo io = ChannelIo.open(socket, number, Protocol.STDIN);
        if (!fields.flag(Tag.STDIN_OPEN)) {
            io.input().end();
        }
        ProcessWork work = new ProcessWork(sandbox, launch, limits, environment, directory);
        GuestRun run = new GuestRun(sandbox.nextId(), work, limits, io, services.cellmates(), over(number));
        sandbox.add(run);
        add.accept(number, new GuestChannel(run, io.input()));
        services.scheduler().submit(run);
    }

    void openContext(int number, Fields fields, BiConsumer<Integer, Channel> add) {
        String name = contextName(fields);
        Language language = fields.text(Tag.LANGUAGE)
                .map(GuestRequests::language)
                .orElse(sandbox.tier() == Tier.ISOLATE ? Language.JAVASCRIPT : Language.PYTHON);
        CommandLine.requireLanguage(sandbox.tier(), language);
        if (language == Language.WASM) {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, "a WebAssembly module is a program; it has no contexts");
        }
        GuestPath directory = directory(fields, sandbox.settings());
        ContextOpening opening = new ContextOpening(
                sandbox,
                new ContextOpening.Wanted(name, language, directory),
                services,
                new ChannelOutput(socket, number, Runnable::run),
                () -> forget.accept(number));
        add.accept(number, opening);
        services.scheduler().submit(opening);
    }

    void execute(int number, Fields fields, BiConsumer<Integer, Channel> add) {
        Context context = sandbox.context(contextName(fields));
        if (fields.bytes(Tag.CODE).length > Limits.CODE_BYTES_MAX) {
            throw tooLong(Limits.CODE_BYTES_MAX);
        }
        String code = new String(fields.bytes(Tag.CODE), StandardCharsets.UTF_8);
        Sandbox.Settings settings = sandbox.settings();
        ResourceLimits limits = RunLimits.read(fields, settings.limits());
        Map<String, String> environment = withDefaults(settings.environment(), environment(fields));
        ChannelIo io = ChannelIo.open(socket, number, Protocol.STDIN);
        io.input().end();
        ExecuteWork work = new ExecuteWork(context, code, environment);
        GuestRun run = new GuestRun(sandbox.nextId(), work, limits, io, services.cellmates(), over(number));
        work.isOf(run);
        sandbox.add(run);
        add.accept(number, new GuestChannel(run, io.input()));
        if (!context.enqueue(run)) {
            run.refuse("the context is closing, or " + Context.QUEUE_MAX + " executions wait in it already");
        }
    }

    void closeContext(Fields fields) {
        Context context = sandbox.context(contextName(fields));
        sandbox.remove(context);
        context.close();
    }

    private java.util.function.Consumer<GuestRun> over(int number) {
        return run -> {
            sandbox.remove(run);
            forget.accept(number);
        };
    }

    private Launch launch(Fields fields) {
        List<String> arguments = fields.texts(Tag.ARGUMENT);
        checkSize("arguments", arguments);
        if (!fields.has(Tag.CODE)) {
            return CommandLine.parse(arguments, sandbox.tier());
        }
        Language language = language(fields.requiredText(Tag.LANGUAGE));
        byte[] code = fields.bytes(Tag.CODE);
        int max = language == Language.WASM ? Limits.MODULE_BYTES_MAX : Limits.CODE_BYTES_MAX;
        if (code.length > max) {
            throw tooLong(max);
        }
        String fileName = fields.text(Tag.FILE_NAME).orElse(defaultName(language));
        return CommandLine.require(
                sandbox.tier(),
                new Launch(
                        language,
                        new Launch.Source.Given(code, fileName),
                        arguments.isEmpty() ? List.of(fileName) : arguments));
    }

    private static String defaultName(Language language) {
        return switch (language) {
            case PYTHON -> "main.py";
            case JAVASCRIPT -> "main.js";
            case TYPESCRIPT -> "main.ts";
            case WASM -> "main.wasm";
        };
    }

    private static GuestPath directory(Fields fields, Sandbox.Settings settings) {
        return fields.text(Tag.DIRECTORY)
                .map(path -> GuestPath.resolve(settings.directory(), path))
                .orElse(settings.directory());
    }

    private static Language language(String word) {
        return Language.ofWord(word)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT, "a language is python, javascript, typescript or wasm"));
    }

    private static String contextName(Fields fields) {
        String name = fields.requiredText(Tag.CONTEXT);
        if (!CONTEXT_NAME.matcher(name).matches()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "a context's name is 1 to 64 of letters, digits, '_' and '-'");
        }
        return name;
    }

    private static Map<String, String> environment(Fields fields) {
        List<String> entries = fields.texts(Tag.ENVIRONMENT);
        checkSize("environment", entries);
        Map<String, String> environment = new LinkedHashMap<>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals <= 0) {
                throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "an environment entry is NAME=value");
            }
            environment.put(entry.substring(0, equals), entry.substring(equals + 1));
        }
        return environment;
    }

    private static void checkSize(String what, List<String> texts) {
        long size = texts.stream().mapToLong(text -> text.length() + 1L).sum();
        if (size > Limits.ARGUMENTS_BYTES_MAX || texts.size() > Limits.ARGUMENTS_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    what + " are at most " + Limits.ARGUMENTS_MAX + " entries and " + Limits.ARGUMENTS_BYTES_MAX
                            + " bytes");
        }
        if (texts.stream().anyMatch(text -> text.indexOf('\0') >= 0)) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, what + " cannot hold a NUL character");
        }
    }

    private static GloveboxException tooLong(int max) {
        return new GloveboxException(ErrorCode.TOO_LARGE, "code is longer than the bound of " + max + " bytes");
    }

    private static Map<String, String> withDefaults(Map<String, String> base, Map<String, String> added) {
        Map<String, String> all = new LinkedHashMap<>(base);
        all.putAll(added);
        return all;
    }
}
