package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.core.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One live instance: its isolate, its host functions and how it ended. What the interpreters of this tier have
/// in common. One thread at a time; [#terminate], [#interruptPython] and [#memoryBytes] from any.
final class WasmProcess implements AutoCloseable {
    /// What a shell shows for SIGABRT and SIGSEGV.
    private static final int STATUS_TRAPPED = 134;

    private static final int STATUS_STACK_OVERFLOW = 139;
    private static final int PAGES_BELOW_LIMIT = 16;

    private final WasmIsolate isolate;
    private final WasiGuest guest;
    private final ResultLines results;
    private final long memoryLimit;
    private final Consumer<WasmIsolate> giveBack;
    private final Object lock = new Object();
    private final Semaphore wakeUps = new Semaphore(0);

    // Guarded by the lock.
    private @Nullable Outcome terminatedBy;
    private boolean over;

    private int @Nullable [] interruptCells;
    private int interruptBit;
    private volatile long memoryBytes;
    private boolean broken;
    private @Nullable GuestStreams streams;

    /// @param giveBack takes the isolate when this process is over
    WasmProcess(
            WasmIsolate isolate,
            WasmIsolate.HostFunctions host,
            WasiGuest guest,
            ResultLines results,
            long memoryLimit,
            Consumer<WasmIsolate> giveBack) {
        this.isolate = isolate;
        this.guest = guest;
        this.results = results;
        this.memoryLimit = memoryLimit;
        this.giveBack = giveBack;
        isolate.use(host);
        measure();
    }

    void use(@Nullable GuestStreams newStreams) {
        streams = newStreams;
        guest.use(newStreams);
        results.use(newStreams);
    }

    ResultLines results() {
        return results;
    }

    WasmIsolate.End call(String export, int... arguments) {
        WasmIsolate.End end = isolate.call(export, arguments);
        measure();
        broken |= end != WasmIsolate.End.RETURNED;
        return end;
    }

    int result() {
        return isolate.result();
    }

    /// Puts bytes into memory that the guest's own allocator gives; 0 if it has none.
    int allocate(String allocator, byte[] bytes) {
        WasmIsolate.End end = call(allocator, bytes.length);
        LinearMemory memory = isolate.memory();
        if (end != WasmIsolate.End.RETURNED || memory == null) {
            return 0;
        }
        int pointer = isolate.result();
        if (pointer <= 0 || pointer > memory.bytes() - bytes.length) {
            return 0;
        }
        memory.buffer().put(pointer, bytes);
        return pointer;
    }

    /// A null-terminated or counted piece of the guest's memory; empty if it lies outside.
    byte[] read(int pointer, int length) {
        LinearMemory memory = isolate.memory();
        if (memory == null || pointer < 0 || length < 0 || pointer > memory.bytes() - length) {
            return new byte[0];
        }
        byte[] bytes = new byte[length];
        memory.buffer().get(pointer, bytes);
        return bytes;
    }

    /// Whether the guest holds a file open to write to it.
    boolean hasOutputFile() {
        return guest.hasOutputFile();
    }

    /// What a call that did not return means.
    Outcome outcome(WasmIsolate.End end) {
        Optional<Outcome> reason = ended();
        if (reason.isPresent()) {
            return reason.get();
        }
        return switch (end) {
            case UNWOUND ->
                guest.exitStatus().isPresent()
                        ? new Outcome.Exited(guest.exitStatus().getAsInt())
                        : new Outcome.Killed("its wait was ended");
            case STACK_OVERFLOW -> {
                complain("wasm: the stack overflowed");
                yield new Outcome.Exited(STATUS_STACK_OVERFLOW);
            }
            case TRAPPED -> isAtLimit() ? outOfMemory() : trapped();
            case TERMINATED -> new Outcome.Killed("terminated");
            case RETURNED, NOT_EXPORTED -> brokenOutcome();
        };
    }

    private Outcome trapped() {
        complain("wasm trap: " + isolate.failure());
        return new Outcome.Exited(STATUS_TRAPPED);
    }

    /// The interpreter inside gave up without saying why.
    Outcome brokenOutcome() {
        broken = true;
        return isAtLimit() ? outOfMemory() : trapped();
    }

    Outcome outOfMemory() {
        return new Outcome.OutOfMemory(memoryLimit);
    }

    private boolean isAtLimit() {
        return memoryBytes > memoryLimit - (long) PAGES_BELOW_LIMIT * WasmImage.PAGE_BYTES;
    }

    private void complain(String words) {
        GuestStreams current = streams;
        if (current != null) {
            byte[] bytes = (words + "\n").getBytes(StandardCharsets.UTF_8);
            current.stderr(bytes, 0, bytes.length);
        }
    }

    /// Why somebody terminated it, if somebody did.
    Optional<Outcome> ended() {
        synchronized (lock) {
            return Optional.ofNullable(terminatedBy);
        }
    }

    void terminate(Outcome why) {
        synchronized (lock) {
            if (over || terminatedBy != null) {
                return;
            }
            terminatedBy = why;
            isolate.terminate();
        }
        wake();
    }

    /// Ends the sleep that the guest is in.
    void wake() {
        guest.wake();
        wakeUps.release();
    }

    /// Waits, at most until [#wake()].
    void sleep(long millis) {
        try {
            if (wakeUps.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Learns where CPython looks for signals. On the guest's thread, before it runs.
    void findInterruptCells() {
        if (call("gb_interrupt_cells") != WasmIsolate.End.RETURNED) {
            return;
        }
        int pointer = isolate.result();
        LinearMemory memory = isolate.memory();
        if (memory != null && pointer > 0 && pointer < memory.bytes() - 3 * Integer.BYTES) {
            int[] cells = new int[3];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = memory.buffer().getInt(pointer + i * Integer.BYTES);
            }
            if (call("gb_interrupt_bit") == WasmIsolate.End.RETURNED) {
                interruptBit = isolate.result();
                interruptCells = cells;
            }
        }
    }

    /// Raises KeyboardInterrupt in a CPython that runs.
    void interruptPython() {
        synchronized (lock) {
            int[] cells = interruptCells;
            LinearMemory memory = isolate.memory();
            if (over || cells == null || memory == null) {
                return;
            }
            memory.poke(cells[1], 1);
            memory.poke(cells[2], 1);
            memory.poke(cells[0], interruptBit);
        }
        guest.wakeIfAsleep();
    }

    /// Repeats an interrupt that CPython has not taken note of: it may have missed a bit, or begun a sleep
    /// meanwhile.
    void remindPython() {
        synchronized (lock) {
            int[] cells = interruptCells;
            LinearMemory memory = isolate.memory();
            if (over || cells == null || memory == null || !memory.isSet(cells[1])) {
                return;
            }
            memory.poke(cells[0], interruptBit);
        }
        guest.wakeIfAsleep();
    }

    /// Most that the guest's memory was, as far as its last call showed: a memory never shrinks.
    long memoryBytes() {
        measure();
        return memoryBytes;
    }

    private void measure() {
        LinearMemory memory = isolate.memory();
        if (memory != null) {
            memoryBytes = memory.bytes();
        }
    }

    boolean isUsable() {
        synchronized (lock) {
            return !over && !broken && terminatedBy == null;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (over) {
                return;
            }
            over = true;
        }
        guest.close();
        giveBack.accept(isolate);
    }
}
