package dev.glovebox.cell.wasi;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.ArrayList;
import java.util.List;

/// Cuts a WebAssembly module into its sections, which must stand in the order of the specification, each at most
/// once: whoever rewrites one must be sure that there is no second one that the engine would take instead.
final class WasmSections {
    private WasmSections() {}

    static final int HEADER_BYTES = 8;

    static final int CUSTOM = 0;
    static final int TYPE = 1;
    static final int IMPORT = 2;
    static final int TABLE = 4;
    static final int MEMORY = 5;
    static final int EXPORT = 7;

    private static final int MAGIC = 0x6d736100; // "\0asm", little-endian
    private static final int VERSION = 1;
    private static final int COMPONENT_VERSION = 0x1000d;
    /// The place of each section id in a module. Tags (13) stand before globals (6), the data count (12) before
    /// code.
    private static final List<Integer> ORDER = List.of(1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11);

    /// More would only be there to be many.
    private static final int CUSTOM_SECTIONS_MAX = 1000;

    /// One section: from its id byte to the byte after its last.
    record Section(int id, int start, int contentStart, int end) {
        WasmReader content(byte[] bytes) {
            return new WasmReader(bytes, contentStart, end);
        }

        boolean comesAfterImports() {
            return id != CUSTOM && ORDER.indexOf(id) > ORDER.indexOf(IMPORT);
        }

        boolean isNames(byte[] bytes) {
            return id == CUSTOM && content(bytes).name().equals("name");
        }
    }

    static List<Section> split(byte[] bytes) {
        WasmReader reader = new WasmReader(bytes, 0, bytes.length);
        readHeader(reader);
        List<Section> sections = new ArrayList<>();
        int placeBefore = -1;
        int customs = 0;
        while (!reader.atEnd()) {
            int start = reader.position();
            int id = reader.u8();
            int length = reader.u32();
            int contentStart = reader.position();
            reader.skip(length);
            Section section = new Section(id, start, contentStart, reader.position());
            if (id == CUSTOM) {
                customs++;
                section.content(bytes).name();
                if (customs > CUSTOM_SECTIONS_MAX) {
                    throw reader.malformed("it has more than " + CUSTOM_SECTIONS_MAX + " custom sections");
                }
            } else {
                int place = ORDER.indexOf(id);
                if (place < 0) {
                    throw reader.malformed("section id " + id + " does not exist");
                }
                if (place <= placeBefore) {
                    throw reader.malformed("section " + id + " is there twice or out of order");
                }
                placeBefore = place;
            }
            sections.add(section);
        }
        return sections;
    }

    private static void readHeader(WasmReader reader) {
        if (word(reader) != MAGIC) {
            throw reader.malformed("it does not begin with \\0asm");
        }
        int version = word(reader);
        if (version == COMPONENT_VERSION) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the WebAssembly module cannot run here: it is a component; build it for WASI preview 1 instead");
        }
        if (version != VERSION) {
            throw reader.malformed("version " + version + " is not 1");
        }
    }

    private static int word(WasmReader reader) {
        return reader.u8() | reader.u8() << 8 | reader.u8() << 16 | reader.u8() << 24;
    }
}
