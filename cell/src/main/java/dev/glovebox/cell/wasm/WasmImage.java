package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Linux;
import java.nio.ByteBuffer;

/// What every instance of one of our modules starts from: its code, and a file in memory that holds the first content
/// of
/// its memory. An instance maps that file copy-on-write, so it pays for the pages that it touches only, and what it
/// writes is seen by nobody else. Immutable; thread-safe; lives as long as the cell.
final class WasmImage {
    static final int PAGE_BYTES = 65_536;

    private final ByteBuffer code;
    private final int initialPages;
    private final int file;
    private final long fileBytes;

    private WasmImage(ByteBuffer code, int initialPages, int file, long fileBytes) {
        this.code = code;
        this.initialPages = initialPages;
        this.file = file;
        this.fileBytes = fileBytes;
    }

    /// The image of a module as it is built.
    static WasmImage of(byte[] bytes) {
        ImageModule module = new ImageModule(bytes);
        long size = (long) module.initialPages() * PAGE_BYTES;
        int file = Linux.memoryFile(size);
        ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
        for (ImageModule.Segment segment : module.segments()) {
            long address = Integer.toUnsignedLong(segment.address());
            if (address + segment.length() > size) {
                throw new IllegalStateException("a module of ours has data outside its memory");
            }
            Linux.write(file, source.slice(segment.offset(), segment.length()), address);
        }
        return new WasmImage(module.code(), module.initialPages(), file, size);
    }

    /// The same code, with the memory that an instance has now: its first steps need not be repeated.
    WasmImage withMemory(LinearMemory live) {
        ByteBuffer memory = live.buffer();
        int bytes = memory.capacity();
        int copy = Linux.memoryFile(bytes);
        for (int at = 0; at < bytes; at += Linux.PAGE_BYTES) {
            ByteBuffer page = memory.slice(at, Linux.PAGE_BYTES);
            if (!isZero(page)) {
                Linux.write(copy, page, at);
            }
        }
        return new WasmImage(code, bytes / PAGE_BYTES, copy, bytes);
    }

    private static boolean isZero(ByteBuffer page) {
        for (int at = 0; at < page.capacity(); at += Long.BYTES) {
            if (page.getLong(at) != 0) {
                return false;
            }
        }
        return true;
    }

    ByteBuffer code() {
        return code.duplicate();
    }

    int initialPages() {
        return initialPages;
    }

    /// Puts the image in place of a fresh memory's zeros. `memory` must be at least as large as the image.
    void mapOver(long address) {
        Linux.mapPrivate(address, fileBytes, file);
    }
}
