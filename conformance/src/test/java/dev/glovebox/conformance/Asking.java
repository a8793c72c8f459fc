package dev.glovebox.conformance;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.SandboxRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Requests, built up from a program by what is special about them. Immutable.
record Asking(
        Dialect dialect,
        String code,
        @Nullable List<String> args,
        @Nullable Map<String, String> env,
        @Nullable String stdin,
        @Nullable Map<String, Content> files,
        @Nullable List<String> fetch,
        boolean capture,
        @Nullable LimitSet limits) {

    static final LimitSet DEFAULTS = new LimitSet(null, null, null, null, null, null);

    private static final long MIB = 1L << 20;

    static Asking of(Dialect dialect, Task task) {
        return of(dialect, dialect.program(task));
    }

    static Asking of(Dialect dialect, String code) {
        return new Asking(dialect, code, null, null, null, null, null, false, null);
    }

    Asking withArguments(String... arguments) {
        return new Asking(dialect, code, List.of(arguments), env, stdin, files, fetch, capture, limits);
    }

    Asking withEnvironment(Map<String, String> environment) {
        return new Asking(dialect, code, args, environment, stdin, files, fetch, capture, limits);
    }

    Asking withInput(String input) {
        return new Asking(dialect, code, args, env, input, files, fetch, capture, limits);
    }

    Asking withFile(String path, String text) {
        return new Asking(
                dialect, code, args, env, stdin, Map.of(path, new Content(text, null)), fetch, capture, limits);
    }

    Asking fetching(String... paths) {
        return new Asking(dialect, code, args, env, stdin, files, List.of(paths), capture, limits);
    }

    Asking capturing() {
        return new Asking(dialect, code, args, env, stdin, files, fetch, true, limits);
    }

    Asking within(LimitSet bounds) {
        return new Asking(dialect, code, args, env, stdin, files, fetch, capture, bounds);
    }

    RunRequest run() {
        return new RunRequest(
                dialect.language(),
                dialect.tier(),
                code,
                null,
                dialect.fileName(),
                args,
                env,
                content(),
                files,
                fetch,
                capture ? Boolean.TRUE : null,
                limits);
    }

    CommandRequest command() {
        return new CommandRequest(
                args, dialect.language(), code, null, dialect.fileName(), env, null, content(), null, limits);
    }

    CommandRequest commandWithOpenInput() {
        return new CommandRequest(
                args, dialect.language(), code, null, dialect.fileName(), env, null, null, true, limits);
    }

    private @Nullable Content content() {
        return stdin == null ? null : new Content(stdin, null);
    }

    static SandboxRequest sandbox(Dialect dialect, long leaseSeconds) {
        return new SandboxRequest(dialect.tier(), dialect.language(), leaseSeconds, null, null, null);
    }

    static LimitSet wall(long millis) {
        return new LimitSet(millis, null, null, null, null, null);
    }

    static LimitSet cpu(long millis) {
        return new LimitSet(null, millis, null, null, null, null);
    }

    static LimitSet memory(long mebibytes) {
        return new LimitSet(null, null, mebibytes * MIB, null, null, null);
    }

    static LimitSet output(long bytes) {
        return new LimitSet(null, null, null, bytes, null, null);
    }

    static LimitSet disk(long bytes, int files) {
        return new LimitSet(null, null, null, null, bytes, files);
    }
}
