package dev.glovebox.cell.wasm;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Splits a WebAssembly module of ours in two: the code, which imports its memory as `env.memory`, and the
/// bytes with which that memory begins. So all instances share one compiled code whatever their memory limit
/// is, and start from shared pages. Only for modules that we built: one that does not have the expected form is
/// a broken installation.
final class ImageModule {
    /// What the code half declares; the memory that an instance really gets is smaller.
    private static final int PAGES_MAX_DECLARED = 65_536;

    private static final int HEADER_BYTES = 8;
    private static final int SECTION_CUSTOM = 0;
    private static final int SECTION_IMPORT = 2;
    private static final int SECTION_MEMORY = 5;
    private static final int SECTION_DATA = 11;
    private static final int SECTION_DATA_COUNT = 12;
    private static final int I32_CONST = 0x41;
    private static final int END = 0x0b;

    /// One piece of the memory's first content.
    record Segment(int address, int offset, int length) {}

    private record Section(int id, int start, int end) {}

    private final byte[] module;
    private final List<Section> sections = new ArrayList<>();
    private int position;

    ImageModule(byte[] module) {
        this.module = module;
        position = HEADER_BYTES;
        while (position < module.length) {
            int id = module[position++];
            int length = unsigned();
            sections.add(new Section(id, position, position + length));
            position += length;
        }
    }

    /// Pages of memory that the module declares as its smallest.
    int initialPages() {
        Section memory = section(SECTION_MEMORY);
        position = memory.start;
        require(unsigned() == 1, "one memory");
        position++;
        return unsigned();
    }

    /// The module without data, with its memory imported.
    ByteBuffer code() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(module.length);
        out.write(module, 0, HEADER_BYTES);
        for (Section section : sections) {
            switch (section.id) {
                case SECTION_CUSTOM, SECTION_MEMORY, SECTION_DATA, SECTION_DATA_COUNT -> {}
                case SECTION_IMPORT -> put(out, section.id, importsWithMemory(section));
                default -> {
                    byte[] content = new byte[section.end - section.start];
                    System.arraycopy(module, section.start, content, 0, content.length);
                    put(out, section.id, content);
                }
            }
        }
        byte[] bytes = out.toByteArray();
        return ByteBuffer.allocateDirect(bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes)
                .flip();
    }

    /// Where the bytes of the memory's first content are, in the order in which they apply.
    List<Segment> segments() {
        Section data = section(SECTION_DATA);
        position = data.start;
        int count = unsigned();
        List<Segment> segments = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            require(unsigned() == 0, "active data segments only");
            require(module[position++] == I32_CONST, "constant data addresses");
            int address = signed();
            require(module[position++] == END, "constant data addresses");
            int length = unsigned();
            segments.add(new Segment(address, position, length));
            position += length;
        }
        return segments;
    }

    byte[] bytes() {
        return module;
    }

    private byte[] importsWithMemory(Section section) {
        position = section.start;
        int count = unsigned();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        putUnsigned(out, count + 1);
        out.write(module, position, section.end - position);
        for (String name : List.of("env", "memory")) {
            putUnsigned(out, name.length());
            out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        }
        int pages = initialPages();
        out.write(2); // a memory
        out.write(1); // with a maximum
        putUnsigned(out, pages);
        putUnsigned(out, PAGES_MAX_DECLARED);
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, int id, byte[] content) {
        out.write(id);
        putUnsigned(out, content.length);
        out.writeBytes(content);
    }

    private Section section(int id) {
        return sections.stream()
                .filter(section -> section.id == id)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a module of ours has no section " + id));
    }

    private int unsigned() {
        int result = 0;
        for (int shift = 0; ; shift += 7) {
            int next = module[position++];
            result |= (next & 0x7f) << shift;
            if (next >= 0) {
                return result;
            }
        }
    }

    private int signed() {
        int result = 0;
        int shift = 0;
        int next;
        do {
            next = module[position++];
            result |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return shift < Integer.SIZE && (next & 0x40) != 0 ? result | (-1 << shift) : result;
    }

    private static void putUnsigned(ByteArrayOutputStream out, int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException("a module of ours must have " + what);
        }
    }
}
