package dev.glovebox.server.api;

import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.sdk.Contents;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.TerminalSet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a caller wrote, as the core's types. Every refusal is a GloveboxException that names the field.
public final class ToCore {
    private ToCore() {}

    public static RunSpec run(RunRequest request) {
        Execution.Code code = code(request.language(), request.code(), request.module(), request.fileName())
                .orElseThrow(() -> invalid("there is nothing to run: give 'code' or 'module'"));
        Map<GuestPath, byte[]> files = new LinkedHashMap<>();
        orEmpty(request.files()).forEach((path, content) -> files.put(path(path), bytes(content)));
        return new RunSpec(
                tier(request.tier()),
                code,
                orEmpty(request.args()),
                orEmpty(request.env()),
                bytes(request.stdin()),
                files,
                orEmpty(request.fetch()).stream().map(ToCore::path).toList(),
                Boolean.TRUE.equals(request.capture()),
                limits(request.limits()),
                NetworkPolicies.policy(request.network(), FieldPath.ROOT.field("network")),
                Optional.ofNullable(request.template()));
    }

    static SandboxSpec sandbox(SandboxRequest request) {
        Long lease = request.leaseSeconds();
        Optional<Tier> tier = tier(request.tier());
        return new SandboxSpec(
                tier,
                request.language() == null ? usualLanguage(tier) : language(request.language()),
                Optional.ofNullable(request.template()),
                lease == null ? Limits.LEASE_DEFAULT : seconds(lease),
                limits(request.limits()),
                orEmpty(request.env()),
                NetworkPolicies.policy(request.network(), FieldPath.ROOT.field("network")),
                orEmpty(request.metadata()));
    }

    private static Language usualLanguage(Optional<Tier> tier) {
        return tier.equals(Optional.of(Tier.ISOLATE)) ? Language.JAVASCRIPT : Language.PYTHON;
    }

    static Execution.ProcessSpec process(CommandRequest request) {
        boolean isOpen = Boolean.TRUE.equals(request.openStdin());
        if (isOpen && request.stdin() != null) {
            throw invalid("'stdin' and 'openStdin' exclude each other");
        }
        Optional<Execution.Code> code = code(request.language(), request.code(), request.module(), request.fileName());
        List<String> arguments = new ArrayList<>();
        code.ifPresent(program -> arguments.add(program.fileName()));
        arguments.addAll(orEmpty(request.args()));
        return new Execution.ProcessSpec(
                arguments,
                code,
                orEmpty(request.env()),
                directory(request.directory()),
                isOpen || request.stdin() != null,
                limits(request.limits()),
                Optional.ofNullable(request.user()).map(GuestUser::new),
                Optional.ofNullable(request.terminal()).map(ToCore::terminal));
    }

    static TerminalSize terminal(TerminalSet size) {
        return new TerminalSize(size.columns(), size.rows());
    }

    /// With whose rights files are worked on.
    static FileAccess access(Optional<String> user) {
        return user.map(name -> FileAccess.as(new GuestUser(name))).orElse(FileAccess.DEFAULT);
    }

    /// A path as a user writes it: absolute, or below the home directory.
    static GuestPath path(String path) {
        return GuestPath.resolve(GuestPath.HOME, path);
    }

    static GuestPath directory(@Nullable String path) {
        return path == null ? GuestPath.HOME : path(path);
    }

    static byte[] bytes(@Nullable Content content) {
        return content == null ? new byte[0] : decoded(() -> Contents.bytes(content));
    }

    static Language language(String word) {
        return Language.ofWord(word)
                .orElseThrow(() -> invalid("there is no language '" + HostName.printable(word) + "'; there are "
                        + words(Arrays.stream(Language.values())
                                .map(Language::word)
                                .toList())));
    }

    static Optional<Tier> tier(@Nullable String word) {
        if (word == null || word.equals("auto")) {
            return Optional.empty();
        }
        return Optional.of(Tier.ofWord(word)
                .orElseThrow(() -> invalid("there is no tier '" + HostName.printable(word) + "'; there are auto, "
                        + words(Arrays.stream(Tier.values()).map(Tier::word).toList()))));
    }

    /// What is left out is the default; processor time defaults to the wall time if that is longer.
    static ResourceLimits limits(@Nullable LimitSet asked) {
        if (asked == null) {
            return ResourceLimits.DEFAULT;
        }
        ResourceLimits base = ResourceLimits.DEFAULT;
        Duration wall = asked.wallMillis() == null ? base.wallTime() : Duration.ofMillis(asked.wallMillis());
        Duration cpuDefault = wall.compareTo(base.cpuTime()) > 0 ? wall : base.cpuTime();
        return new ResourceLimits(
                wall,
                asked.cpuMillis() == null ? cpuDefault : Duration.ofMillis(asked.cpuMillis()),
                asked.memoryBytes() == null ? base.memoryBytes() : asked.memoryBytes(),
                asked.outputBytes() == null ? base.outputBytes() : asked.outputBytes(),
                asked.diskBytes() == null ? base.diskBytes() : asked.diskBytes(),
                asked.fileCount() == null ? base.fileCount() : asked.fileCount());
    }

    static Duration seconds(long seconds) {
        if (seconds < 0 || seconds > Limits.LEASE_MAX.toSeconds()) {
            throw invalid("a lease of " + seconds + " s is outside 1.." + Limits.LEASE_MAX.toSeconds() + " s");
        }
        return Duration.ofSeconds(seconds);
    }

    static Principal.Role role(@Nullable String word) {
        if (word == null || word.equals("tenant")) {
            return Principal.Role.TENANT;
        }
        if (word.equals("admin")) {
            return Principal.Role.ADMIN;
        }
        throw invalid("a role is 'tenant' or 'admin'");
    }

    static ProcessId process(String pid) {
        return new ProcessId(number("a process' id", pid, Long.MAX_VALUE));
    }

    static ContextId context(String id) {
        return new ContextId(id);
    }

    static long number(String what, String text, long max) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw invalid(what + " is a whole number from 0 to " + max);
    }

    private static Optional<Execution.Code> code(
            @Nullable String languageWord, @Nullable String text, @Nullable String module, @Nullable String fileName) {
        if (text != null && module != null) {
            throw invalid("'code' and 'module' exclude each other");
        }
        if (module != null) {
            if (languageWord != null && language(languageWord) != Language.WASM) {
                throw invalid("a module is WebAssembly: leave 'language' out, or give the program text as 'code'");
            }
            byte[] bytes = decoded(() -> Contents.ofBase64(module));
            return Optional.of(new Execution.Code(Language.WASM, bytes, fileName == null ? "module.wasm" : fileName));
        }
        if (text == null) {
            return Optional.empty();
        }
        Language language = languageWord != null ? language(languageWord) : guess(fileName);
        if (language == Language.WASM) {
            throw invalid("a WebAssembly module is given as 'module', in base64");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Optional.of(new Execution.Code(language, bytes, fileName == null ? defaultName(language) : fileName));
    }

    private static Language guess(@Nullable String fileName) {
        return Optional.ofNullable(fileName)
                .flatMap(Language::ofFileName)
                .orElseThrow(() -> invalid("the field 'language' is missing"));
    }

    private static String defaultName(Language language) {
        return switch (language) {
            case PYTHON -> "main.py";
            case JAVASCRIPT -> "main.mjs";
            case TYPESCRIPT -> "main.ts";
            case WASM -> "module.wasm";
        };
    }

    private static byte[] decoded(Supplier<byte[]> content) {
        try {
            return content.get();
        } catch (MalformedJsonException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static String words(List<String> words) {
        return words.stream().collect(Collectors.joining(", "));
    }

    static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
        return map == null ? Map.of() : map;
    }

    static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
