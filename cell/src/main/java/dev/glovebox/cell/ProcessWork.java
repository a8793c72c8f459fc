package dev.glovebox.cell;

import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/// A process: an interpreter of its own that runs one program.
final class ProcessWork implements GuestRun.Work {
    /// What a shell's interpreter says when there is no such file.
    private static final Outcome NO_PROGRAM = new Outcome.Exited(2);

    private final Sandbox sandbox;
    private final Launch launch;
    private final ResourceLimits limits;
    private final Map<String, String> environment;
    private final GuestPath directory;

    ProcessWork(
            Sandbox sandbox,
            Launch launch,
            ResourceLimits limits,
            Map<String, String> environment,
            GuestPath directory) {
        this.sandbox = sandbox;
        this.launch = launch;
        this.limits = limits;
        this.environment = environment;
        this.directory = directory;
    }

    @Override
    public int program() {
        return launch.source() instanceof Launch.Source.Given given
                ? Arrays.hashCode(given.code())
                : EndlessPrograms.UNKNOWN;
    }

    @Override
    public GuestRun.Acquired acquire(boolean mayTakeReady) {
        return sandbox.acquire(launch.language(), limits, mayTakeReady);
    }

    @Override
    public Outcome run(Interpreter interpreter, GuestStreams streams) {
        return switch (launch.source()) {
            case Launch.Source.Given(byte[] code, String fileName) -> run(interpreter, streams, code, fileName);
            case Launch.Source.Module(String name) ->
                run(interpreter, streams, name.getBytes(StandardCharsets.UTF_8), Program.MODULE);
            case Launch.Source.StandardInput() -> run(interpreter, streams, readAll(streams), "<stdin>");
            case Launch.Source.File(String path) -> {
                try {
                    GuestPath file = GuestPath.resolve(directory, path);
                    int max = launch.language() == Language.WASM ? Limits.MODULE_BYTES_MAX : Limits.CODE_BYTES_MAX;
                    byte[] code = new HostFiles(sandbox.files()).read(file, max);
                    yield run(interpreter, streams, code, file.value());
                } catch (FsError | GloveboxException e) {
                    complain(streams, "can't open file '" + path + "': " + Statuses.words(e));
                    yield NO_PROGRAM;
                }
            }
        };
    }

    private Outcome run(Interpreter interpreter, GuestStreams streams, byte[] code, String fileName) {
        return interpreter.run(new Program(code, fileName, launch.arguments(), environment, directory), streams);
    }

    private static byte[] readAll(GuestStreams streams) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] bytes = new byte[8192];
        for (int count = streams.read(bytes, 0, bytes.length);
                count > 0 && all.size() <= Limits.CODE_BYTES_MAX;
                count = streams.read(bytes, 0, bytes.length)) {
            all.write(bytes, 0, count);
        }
        return all.toByteArray();
    }

    private static void complain(GuestStreams streams, String words) {
        byte[] bytes = (words + "\n").getBytes(StandardCharsets.UTF_8);
        streams.stderr(bytes, 0, bytes.length);
    }

    @Override
    public boolean hasState() {
        return false;
    }

    @Override
    public void release(Interpreter interpreter, boolean alive) {
        interpreter.close();
    }
}
