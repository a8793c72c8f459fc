package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Watches how much memory the cells hold and ends one that outgrows the bound: V8 keeps ArrayBuffers outside the heap
/// that it limits, so this is the last line behind what the cell counts for each sandbox. One thread for all cells; it
/// sleeps while there is none.
final class CellMemory {
    private static final int PAGE_BYTES = 4096;

    private final Map<Cell, Path> cells = new ConcurrentHashMap<>();
    private final Object lock = new Object();
    private boolean running;

    /// Begins to watch a cell.
    void watch(Cell cell) {
        cells.put(cell, Path.of("/proc", Long.toString(cell.pid()), "statm"));
        synchronized (lock) {
            if (!running) {
                running = true;
                Thread.ofPlatform().daemon().name("cell-memory").start(this::loop);
            }
        }
    }

    void forget(Cell cell) {
        cells.remove(cell);
    }

    private void loop() {
        while (true) {
            synchronized (lock) {
                if (cells.isEmpty()) {
                    running = false;
                    return;
                }
            }
            cells.forEach(CellMemory::check);
            try {
                Thread.sleep(Limits.CELL_MEMORY_INTERVAL);
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private static void check(Cell cell, Path statm) {
        long bytes = privateBytes(statm);
        cell.holds(bytes);
        if (bytes > Limits.CELL_MEMORY_BYTES_MAX) {
            cell.condemn("its guests took more memory than the " + Limits.CELL_MEMORY_BYTES_MAX
                    + " bytes that a cell may hold");
        }
    }

    /// Resident without what is shared: all interpreters of a cell map one image. 0 if the process is gone.
    private static long privateBytes(Path statm) {
        try {
            String[] fields = Files.readString(statm, StandardCharsets.US_ASCII).split(" ", 4);
            return (Long.parseLong(fields[1]) - Long.parseLong(fields[2])) * PAGE_BYTES;
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException _) {
            // A process that is ending has an empty page of numbers, or none.
            return 0;
        }
    }
}
