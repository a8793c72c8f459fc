package dev.glovebox.cell;

import dev.glovebox.cell.fs.Budget;
import dev.glovebox.cell.isolate.PreludeSnapshot;
import dev.glovebox.cell.isolate.TypeScript;
import dev.glovebox.cell.isolate.V8Library;
import dev.glovebox.cell.wasm.PythonLibrary;
import dev.glovebox.cell.wasm.PythonSource;
import dev.glovebox.cell.wasm.QuickJsSource;
import dev.glovebox.cell.wasm.StartMemory;
import dev.glovebox.cell.wasm.WasiSource;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/// The worker process that hosts V8 for one trust domain: the tiers wasm and isolate. It connects to the host's
/// socket and serves until the host goes away; then it halts with all its guests. Read [#main] for the wiring.
public final class Cell {
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_LOST = 3;

    private Cell() {}

    public static void main(String[] arguments) throws IOException {
        CellLog log = new CellLog(System.err);
        // Javet and the JDK log with texts of their own; nobody reads them here, and guests could be quoted in them.
        LogManager.getLogManager().reset();
        CellOptions options;
        try {
            options = CellOptions.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            Runtime.getRuntime().halt(EXIT_USAGE);
            return;
        }
        V8Library.load(options.dist().resolve("native"));
        Path snapshot = options.dist().resolve("guest/isolate.snapshot");
        if (options.train()) {
            PreludeSnapshot.write(snapshot);
        } else {
            PreludeSnapshot.read(snapshot);
        }
        int processors = Runtime.getRuntime().availableProcessors();
        GuestScheduler scheduler =
                new GuestScheduler(processors, Limits.RUNS_PER_TENANT_MAX, Limits.ADMISSION_WAIT_MAX.toNanos());
        Watchdog watchdog = new Watchdog(scheduler);
        Closer closer = new Closer(log);
        closer.start();
        SecureRandom random = new SecureRandom();
        InstantSource clock = InstantSource.system();
        // Beside a crowd patient guests wait on purpose, and newcomers need what is ready.
        InterpreterPool pool = new InterpreterPool(log, () -> scheduler.queued() > 0 && !scheduler.isCrowded());
        Budget budget = new Budget(Limits.CELL_FILES_BYTES_MAX);
        PythonLibrary python = addSources(pool, options, clock, random, budget);
        CellServices services = new CellServices(scheduler, watchdog, closer, pool, clock, random, log);
        SandboxFactory sandboxes = new SandboxFactory(services, python, budget);
        if (options.train()) {
            watchdog.start();
            pool.start();
            Training.run(sandboxes, services);
            // A normal exit: that is when the JDK writes the cache.
            System.exit(0);
        }
        Path socket = options.socket();
        byte[] token = readToken();
        if (token == null || socket == null) {
            Runtime.getRuntime().halt(EXIT_LOST);
            return;
        }
        haltWithStandardInput();
        watchdog.start();
        pool.start();
        HeapKeeper.start(() -> scheduler.running() == 0 && scheduler.queued() == 0);
        try (SocketChannel channel = connect(socket)) {
            new CellConnection(new FrameSocket(channel), () -> connect(socket), sandboxes, services).serve(token);
        } catch (IOException e) {
            log.error("the host's socket cannot be reached", e);
        }
        Runtime.getRuntime().halt(EXIT_LOST);
    }

    private static PythonLibrary addSources(
            InterpreterPool pool, CellOptions options, InstantSource clock, SecureRandom random, Budget budget)
            throws IOException {
        Path guest = options.dist().resolve("guest");
        PythonLibrary library = PythonLibrary.open(guest.resolve("python313.zip"));
        StartMemory start = StartMemory.open(guest.resolve("python-start.wasm"));
        LazySource python = new LazySource(
                () -> new PythonSource(read(guest.resolve("python.wasm")), start, library, clock, random));
        if (options.prime()) {
            python.prime();
        }
        add(pool, options, new InterpreterPool.Kind(Tier.WASM, Language.PYTHON), python);
        add(
                pool,
                options,
                new InterpreterPool.Kind(Tier.WASM, Language.JAVASCRIPT),
                new LazySource(() -> new QuickJsSource(read(guest.resolve("quickjs.wasm")), clock, random)));
        add(pool, options, new InterpreterPool.Kind(Tier.WASM, Language.WASM), new WasiSource());
        TypeScript typeScript = new TypeScript(guest);
        for (Language language : List.of(Language.JAVASCRIPT, Language.TYPESCRIPT)) {
            add(
                    pool,
                    options,
                    new InterpreterPool.Kind(Tier.ISOLATE, language),
                    new IsolateSource(language, typeScript, clock, random, budget));
        }
        return library;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(
            InterpreterPool pool, CellOptions options, InterpreterPool.Kind kind, InterpreterSource source) {
        pool.add(kind, source, options.warm(kind));
    }

    private static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// The first line of standard input, which is in no process list.
    private static byte @Nullable [] readToken() {
        try {
            // Byte by byte: what follows the line belongs to nobody, but its end is the sign to halt.
            StringBuilder line = new StringBuilder();
            for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
                line.append((char) c);
            }
            return HexFormat.of().parseHex(line.toString().strip());
        } catch (IOException | IllegalArgumentException _) {
            return null;
        }
    }

    /// The host holds the other end of standard input: when the host is gone, so is the cell.
    private static void haltWithStandardInput() {
        Thread.ofPlatform().name("lifeline").daemon().start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nothing is ever sent.
                }
            } catch (IOException _) {
                // As good as its end.
            }
            Linux.exit(0);
        });
    }
}
