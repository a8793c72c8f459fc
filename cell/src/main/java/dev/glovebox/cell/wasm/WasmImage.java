package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Linux;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// What every instance of one of our modules starts from: its code, and a file in memory that holds the first
/// content of its memory. An instance maps that file copy-on-write, so it pays for the pages that it touches
/// only, and what it writes is seen by nobody else. Thread-safe; lives as long as the cell.
final class WasmImage {
    static final int PAGE_BYTES = 65_536;
    /// A call costs about as much as copying this many pages in vain.
    private static final int GAP_PAGES_MAX = 2;

    private final ByteBuffer code;
    private final int initialPages;
    private final int file;
    private final long fileBytes;
    private volatile List<Range> touched = List.of();

    private record Range(long offset, long bytes) {}

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
        for (Range range : touched) {
            Linux.populate(address + range.offset, range.bytes);
        }
    }

    /// Learns from an instance that has done what all do which pages they all write to. Later instances have those
    /// copied in a few calls. A page that is read first and copied when it is written to costs a fault more, and an
    /// interrupt of every processor that runs this process, which must forget the page that it knew.
    void learnFrom(long address) {
        if (touched.isEmpty()) {
            touched = ranges(Linux.ownPages(address, fileBytes));
        }
    }

    private static List<Range> ranges(BitSet pages) {
        List<Range> ranges = new ArrayList<>();
        int begin = pages.nextSetBit(0);
        while (begin >= 0) {
            int end = pages.nextClearBit(begin);
            int next = pages.nextSetBit(end);
            while (next >= 0 && next - end <= GAP_PAGES_MAX) {
                end = pages.nextClearBit(next);
                next = pages.nextSetBit(end);
            }
            ranges.add(new Range((long) begin * Linux.PAGE_BYTES, (long) (end - begin) * Linux.PAGE_BYTES));
            begin = next;
        }
        return List.copyOf(ranges);
    }
}
