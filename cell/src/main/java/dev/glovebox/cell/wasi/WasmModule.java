package dev.glovebox.cell.wasi;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A WebAssembly module, read as far as the sandbox must know it before an engine sees it: what it imports and
/// exports and how much memory it wants. It validates no code; the engine does. Immutable.
///
/// What a sandbox does not offer is refused here, in words, and not by the engine: imports other than functions
/// of [WasiFunction] with the right type, shared and 64-bit memories, more than one memory, and the types of the
/// garbage collection proposal (nothing compiled for WASI needs them, and they are the youngest part of every
/// engine).
///
/// A refusal is a [GloveboxException]; names of the module in its text are reduced to plain characters.
public final class WasmModule {
    /// One page less than 2 GiB, because no Java buffer can show more.
    public static final int MEMORY_PAGES_MAX = 32_767;
    /// The import that [#withImportedMemory] makes of a memory.
    public static final String MEMORY_MODULE = "env";

    public static final String MEMORY_NAME = "memory";

    private static final int PAGE_BYTES = 65_536;
    /// The number of [ExternalKind#MEMORY].
    private static final int KIND_MEMORY = 2;
    /// Tables are made outside the linear memory, so its bound does not hold them; CPython needs 9000 entries.
    private static final int TABLE_ENTRIES_MAX = 131_072;

    private static final int TABLES_MAX = 16;
    /// As V8's own bound on imports, and on exports; here for types as well.
    private static final int ENTRIES_MAX = 100_000;

    /// What a host has to do with a module.
    public enum Kind {
        /// Runs once, by its export `_start`.
        COMMAND,
        /// Is called: `_initialize` first, if it is there, then whatever else it exports.
        REACTOR
    }

    /// An imported function of [WasiFunction#MODULE].
    public record Import(WasiFunction function) {}

    /// Something that the module exports. `name` is guest content.
    public record Export(String name, ExternalKind kind) {}

    /// What an import or export can be, in the order of the specification's numbers.
    public enum ExternalKind {
        FUNCTION,
        TABLE,
        MEMORY,
        GLOBAL,
        TAG;

        private static ExternalKind read(WasmReader reader) {
            int code = reader.u8();
            if (code >= values().length) {
                throw reader.malformed("external kind " + code + " does not exist");
            }
            return values()[code];
        }
    }

    private final byte[] bytes;
    private final List<WasmSections.Section> sections;
    private final List<Import> imports = new ArrayList<>();
    private final List<Export> exports = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private @Nullable WasmLimits memory;
    private final Kind kind;

    private record Table(int elementType, WasmLimits limits) {}

    private WasmModule(byte[] bytes) {
        this.bytes = bytes;
        sections = WasmSections.split(bytes);
        List<WasmFunctionType> types = List.of();
        for (WasmSections.Section section : sections) {
            WasmReader reader = section.content(bytes);
            switch (section.id()) {
                case WasmSections.TYPE -> types = WasmFunctionType.readAll(reader, ENTRIES_MAX);
                case WasmSections.IMPORT -> readImports(reader, types);
                case WasmSections.TABLE -> readTables(reader);
                case WasmSections.MEMORY -> readMemory(reader);
                case WasmSections.EXPORT -> readExports(reader);
                default -> {
                    // What the engine alone has to understand.
                }
            }
        }
        kind = findKind();
    }

    /// Reads a module. The array must not change afterwards.
    public static WasmModule parse(byte[] bytes) {
        if (bytes.length > Limits.MODULE_BYTES_MAX) {
            throw new GloveboxException(
                    ErrorCode.TOO_LARGE,
                    "a module of " + bytes.length + " bytes is larger than the bound of " + Limits.MODULE_BYTES_MAX);
        }
        return new WasmModule(bytes);
    }

    /// The pages that fit into a memory limit.
    public static int pages(long memoryBytes) {
        return (int) Math.min(memoryBytes / PAGE_BYTES, MEMORY_PAGES_MAX);
    }

    public List<Import> imports() {
        return List.copyOf(imports);
    }

    public List<Export> exports() {
        return List.copyOf(exports);
    }

    public boolean exports(String name, ExternalKind exported) {
        return exports.contains(new Export(name, exported));
    }

    public Kind kind() {
        return kind;
    }

    /// The memory that the module defines, as it declares it.
    public Optional<WasmLimits> memory() {
        return Optional.ofNullable(memory);
    }

    /// The module with the maximum of its memory lowered to `pagesMax`, so that the engine holds the sandbox's
    /// limit.
    public byte[] withMemoryMax(int pagesMax) {
        return rewrite(pagesMax, false);
    }

    /// The same, but the memory is imported, from [#MEMORY_MODULE], so that the host makes it: with at least the
    /// initial size that [#memory()] says, and with `pagesMax` or less as its maximum.
    public byte[] withImportedMemory(int pagesMax) {
        if (memory == null) {
            throw refused("it has no memory that could be imported");
        }
        return rewrite(pagesMax, true);
    }

    private byte[] rewrite(int pagesMax, boolean importMemory) {
        if (pagesMax < 1 || pagesMax > MEMORY_PAGES_MAX) {
            throw new IllegalArgumentException(pagesMax + " pages are outside 1.." + MEMORY_PAGES_MAX);
        }
        WasmLimits capped = memory == null ? null : cappedMemory(memory, pagesMax);
        WasmWriter writer = new WasmWriter(bytes.length + 64);
        writer.bytes(bytes, 0, WasmSections.HEADER_BYTES);
        boolean importPending = importMemory;
        for (WasmSections.Section section : sections) {
            if (importPending && section.comesAfterImports()) {
                writer.section(WasmSections.IMPORT, importSection(null, capped));
                importPending = false;
            }
            switch (section.id()) {
                case WasmSections.IMPORT -> {
                    writer.section(WasmSections.IMPORT, importSection(section, importMemory ? capped : null));
                    importPending = false;
                }
                case WasmSections.TABLE -> writer.section(WasmSections.TABLE, tableSection());
                case WasmSections.MEMORY -> {
                    if (!importMemory && capped != null) {
                        WasmWriter content = new WasmWriter(16);
                        content.u32(1);
                        capped.write(content);
                        writer.section(WasmSections.MEMORY, content);
                    }
                }
                default -> {
                    // Names of functions serve no purpose here, and can be most of a module.
                    if (!section.isNames(bytes)) {
                        writer.bytes(bytes, section.start(), section.end());
                    }
                }
            }
        }
        return writer.toBytes();
    }

    private static WasmLimits cappedMemory(WasmLimits memory, int pagesMax) {
        if (memory.initial() > pagesMax) {
            throw new GloveboxException(
                    ErrorCode.TOO_LARGE,
                    "the module needs " + memory.initial() + " pages of memory (" + (long) memory.initial() * PAGE_BYTES
                            + " bytes) to begin with; the limit is " + pagesMax + " pages ("
                            + (long) pagesMax * PAGE_BYTES + " bytes): raise the memory limit");
        }
        return memory.capped(pagesMax);
    }

    private WasmWriter importSection(WasmSections.@Nullable Section present, @Nullable WasmLimits added) {
        WasmWriter content = new WasmWriter(1024);
        content.u32(imports.size() + (added == null ? 0 : 1));
        if (added != null) {
            content.name(MEMORY_MODULE);
            content.name(MEMORY_NAME);
            content.u8(KIND_MEMORY);
            added.write(content);
        }
        if (present != null) {
            WasmReader reader = present.content(bytes);
            reader.u32();
            content.bytes(bytes, reader.position(), present.end());
        }
        return content;
    }

    private WasmWriter tableSection() {
        WasmWriter content = new WasmWriter(64);
        content.u32(tables.size());
        for (Table table : tables) {
            content.u8(table.elementType());
            table.limits().capped(TABLE_ENTRIES_MAX).write(content);
        }
        return content;
    }

    private void readImports(WasmReader reader, List<WasmFunctionType> types) {
        int count = reader.count("imports", ENTRIES_MAX);
        for (int i = 0; i < count; i++) {
            String module = reader.name();
            String name = reader.name();
            ExternalKind imported = ExternalKind.read(reader);
            String shown = "the import " + plain(module) + "." + plain(name);
            WasiFunction function = WasiFunction.ofImportName(name).orElse(null);
            if (imported != ExternalKind.FUNCTION || !module.equals(WasiFunction.MODULE) || function == null) {
                throw refused(shown + " (" + imported.name().toLowerCase(Locale.ROOT)
                        + ") is not offered; a module may import the functions of " + WasiFunction.MODULE
                        + " and nothing else");
            }
            int type = reader.u32();
            if (type >= types.size()) {
                throw reader.malformed("type " + type + " does not exist");
            }
            WasmFunctionType wanted = WasmFunctionType.of(function);
            if (!types.get(type).equals(wanted)) {
                throw refused(shown + " has the type " + types.get(type) + "; it must be " + wanted);
            }
            imports.add(new Import(function));
        }
        reader.requireEnd("import");
    }

    private void readTables(WasmReader reader) {
        int count = reader.count("tables", TABLES_MAX);
        for (int i = 0; i < count; i++) {
            int elementType = reader.u8();
            if (elementType != WasmFunctionType.FUNCTION_REFERENCE
                    && elementType != WasmFunctionType.EXTERN_REFERENCE) {
                throw reader.malformed("a table of type " + elementType + " is not offered here");
            }
            WasmLimits limits = WasmLimits.read(reader, "table");
            if (limits.initial() > TABLE_ENTRIES_MAX) {
                throw refused(
                        "a table of " + limits.initial() + " entries is larger than the bound of " + TABLE_ENTRIES_MAX);
            }
            tables.add(new Table(elementType, limits));
        }
        reader.requireEnd("table");
    }

    private void readMemory(WasmReader reader) {
        int count = reader.count("memories", 1);
        if (count == 1) {
            memory = WasmLimits.read(reader, "memory");
        }
        reader.requireEnd("memory");
    }

    private void readExports(WasmReader reader) {
        int count = reader.count("exports", ENTRIES_MAX);
        for (int i = 0; i < count; i++) {
            String name = reader.name();
            ExternalKind exported = ExternalKind.read(reader);
            reader.u32();
            exports.add(new Export(name, exported));
        }
        reader.requireEnd("export");
    }

    private Kind findKind() {
        if (exports("_start", ExternalKind.FUNCTION)) {
            return Kind.COMMAND;
        }
        boolean reactor = exports.stream()
                .filter(export -> export.kind() == ExternalKind.FUNCTION)
                .anyMatch(export ->
                        export.name().equals("_initialize") || export.name().startsWith("gb_"));
        if (!reactor) {
            throw refused("it exports neither _start nor _initialize, so it is not a program for WASI preview 1");
        }
        return Kind.REACTOR;
    }

    private static GloveboxException refused(String why) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, "the WebAssembly module cannot run here: " + why);
    }

    /// A name as a message may show it: guest content reduced to plain characters, and not too many.
    private static String plain(String name) {
        String cut = name.length() > 64 ? name.substring(0, 64) + "..." : name;
        return cut.replaceAll("[^A-Za-z0-9_.:/$-]", "?");
    }
}
