package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.Linux;
import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.wasi.DialDevice;
import dev.glovebox.cell.wasi.GuestClock;
import dev.glovebox.cell.wasi.GuestInterrupted;
import dev.glovebox.cell.wasi.GuestOutput;
import dev.glovebox.cell.wasi.ProcExit;
import dev.glovebox.cell.wasi.Wasi;
import dev.glovebox.cell.wasi.WasiFunction;
import dev.glovebox.cell.wasi.WasiProgram;
import dev.glovebox.cell.wasi.WasiStreams;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The host functions of one WASI guest, joined to the streams of whatever it runs at the moment. The guest's
/// thread calls; [#wake()] is for any.
final class WasiGuest implements WasmIsolate.HostFunctions, AutoCloseable {
    /// The names of all WASI functions as [WasmIsolate#offer] wants them; a function's number is its place.
    static final List<String> NAMES = Arrays.stream(WasiFunction.values())
            .map(function -> WasiFunction.MODULE + "." + function.importName())
            .toList();

    private static final WasiFunction[] FUNCTIONS = WasiFunction.values();

    private final Wasi wasi;
    private final DialDevice device;
    private final int[][] arguments = new int[FUNCTIONS.length][];
    private int threadOfClock;
    private volatile boolean asleep;
    private @Nullable GuestStreams streams;
    private OptionalInt exitStatus = OptionalInt.empty();

    /// @param results what takes bytes of descriptor 4; null if there is none
    WasiGuest(WasiProgram program, InterpreterHome home, @Nullable GuestOutput results) {
        threadOfClock = Linux.threadId();
        device = new DialDevice(home.network(), this::waitOutside);
        wasi = new Wasi(
                program,
                new WasiStreams(this::read, this::stdout, this::stderr, results),
                home.files(),
                GuestClock.system(home.clock(), () -> Linux.cpuNanos(threadOfClock)),
                home.random(),
                device);
    }

    /// Joins the guest to streams, or, with null, to none.
    void use(@Nullable GuestStreams newStreams) {
        streams = newStreams;
        threadOfClock = Linux.threadId();
    }

    /// Whether the guest holds a file open to write to it.
    boolean hasOutputFile() {
        return wasi.hasOutputFile();
    }

    /// What the guest gave to `proc_exit`, if it did.
    OptionalInt exitStatus() {
        return exitStatus;
    }

    /// Ends a sleep; the guest's thread is to end with it.
    void wake() {
        wasi.wake();
        device.close();
    }

    /// Ends the sleep that the guest is in, if it is in one; its next sleep is not touched.
    void wakeIfAsleep() {
        if (asleep) {
            wasi.wake();
        }
        device.interrupt();
    }

    @Override
    public void memoryIs(ByteBuffer memory) {
        wasi.memory().refresh(memory);
    }

    @Override
    public int call(int number, Exchange exchange) {
        WasiFunction function = FUNCTIONS[number];
        int[] values = gather(number, function, exchange);
        try {
            GuestStreams current = streams;
            if (function == WasiFunction.POLL_ONEOFF && current != null) {
                int[] result = {0};
                current.waitOutside(() -> {
                    asleep = true;
                    result[0] = function.invoke(wasi, values);
                    asleep = false;
                });
                return result[0];
            }
            return function.invoke(wasi, values);
        } catch (ProcExit exit) {
            exitStatus = OptionalInt.of(exit.status());
            throw new GuestUnwound();
        } catch (GuestInterrupted _) {
            throw new GuestUnwound();
        }
    }

    private void waitOutside(Runnable action) {
        GuestStreams current = streams;
        if (current == null) {
            action.run();
        } else {
            current.waitOutside(action);
        }
    }

    private int[] gather(int number, WasiFunction function, Exchange exchange) {
        int[] values = arguments[number];
        if (values == null) {
            values = new int[function.argumentCount()];
            arguments[number] = values;
        }
        String types = function.parameters();
        int filled = 0;
        for (int i = 0; i < types.length(); i++) {
            if (types.charAt(i) == 'I') {
                long wide = exchange.int64(i);
                values[filled++] = (int) wide;
                values[filled++] = (int) (wide >>> Integer.SIZE);
            } else {
                values[filled++] = exchange.int32(i);
            }
        }
        return values;
    }

    /// Reads standard input; -1 at its end.
    int read(byte[] target, int offset, int length) {
        GuestStreams current = streams;
        int count = current == null ? -1 : current.read(target, offset, length);
        if (count == GuestStreams.INTERRUPTED) {
            throw new FsError(Errno.INTR);
        }
        return count;
    }

    void stdout(byte[] bytes, int offset, int length) {
        if (streams != null) {
            streams.stdout(bytes, offset, length);
        }
    }

    void stderr(byte[] bytes, int offset, int length) {
        if (streams != null) {
            streams.stderr(bytes, offset, length);
        }
    }

    @Override
    public void close() {
        wasi.close();
    }
}
