package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Linux;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// What every instance of one of our modules starts from: its code, and a file in memory that holds the first
/// content of its memory. An instance maps that file copy-on-write, so it pays for the pages that it touches
/// only, and what it writes is seen by nobody else. Thread-safe.
final class WasmImage implements AutoCloseable {
    static final int PAGE_BYTES = 65_536;
    /// A call costs about as much as copying this many pages in vain.
    private static final int GAP_PAGES_MAX = 2;

    private final ByteBuffer code;
    private final int initialPages;
    private final int file;
    private final long fileBytes;
    private final AtomicInteger holders = new AtomicInteger(1);
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
        ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
        return of(module.code(), module.initialPages(), source, module.segments());
    }

    /// The same code, with the memory of an interpreter that has not started.
    WasmImage withMemory(StartMemory start) {
        StartMemory.Layout layout = start.layout();
        return of(code, layout.pages(), start.content(), layout.segments());
    }

    private static WasmImage of(ByteBuffer code, int pages, ByteBuffer data, List<ImageModule.Segment> segments) {
        long size = (long) pages * PAGE_BYTES;
        WasmImage image = new WasmImage(code, pages, Linux.memoryFile(size), size);
        for (ImageModule.Segment segment : segments) {
            long address = Integer.toUnsignedLong(segment.address());
            if (address + segment.length() > size) {
                image.close();
                throw new IllegalStateException("a module of ours has data outside its memory");
            }
            Linux.write(image.file, data.slice(segment.offset(), segment.length()), address);
        }
        return image;
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

    /// Keeps the image's file open until [#close()] is called once more; false if it is closed.
    boolean hold() {
        return holders.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /// Lets go of the image. Instances that are made of it keep their memory.
    @Override
    public void close() {
        if (holders.decrementAndGet() == 0) {
            Linux.close(file);
        }
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
        touched = ranges(Linux.ownPages(address, fileBytes));
    }

    boolean hasLearnt() {
        return !touched.isEmpty();
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
