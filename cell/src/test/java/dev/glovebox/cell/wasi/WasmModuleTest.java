package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.WasmBytes.COMMAND;
import static dev.glovebox.cell.wasi.WasmBytes.START;
import static dev.glovebox.cell.wasi.WasmBytes.TYPES;
import static dev.glovebox.cell.wasi.WasmBytes.bytes;
import static dev.glovebox.cell.wasi.WasmBytes.concat;
import static dev.glovebox.cell.wasi.WasmBytes.export;
import static dev.glovebox.cell.wasi.WasmBytes.importFunction;
import static dev.glovebox.cell.wasi.WasmBytes.memory;
import static dev.glovebox.cell.wasi.WasmBytes.module;
import static dev.glovebox.cell.wasi.WasmBytes.name;
import static dev.glovebox.cell.wasi.WasmBytes.number;
import static dev.glovebox.cell.wasi.WasmBytes.section;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WasmModuleTest {
    private static void assertRefused(byte[] module, String words) {
        assertThatExceptionOfType(GloveboxException.class)
                .isThrownBy(() -> WasmModule.parse(module))
                .withMessageContaining(words)
                .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private static String text(byte[] module) {
        return new String(module, StandardCharsets.ISO_8859_1);
    }

    @Test
    void readsWhatAModuleImportsExportsAndNeeds() {
        WasmModule module = WasmModule.parse(COMMAND);
        assertThat(module.kind()).isEqualTo(WasmModule.Kind.COMMAND);
        assertThat(module.imports())
                .extracting(WasmModule.Import::function)
                .containsExactly(WasiFunction.FD_WRITE, WasiFunction.PROC_EXIT);
        assertThat(module.exports("memory", WasmModule.ExternalKind.MEMORY)).isTrue();
        assertThat(module.exports("memory", WasmModule.ExternalKind.FUNCTION)).isFalse();
        assertThat(module.exports()).hasSize(2);
        assertThat(module.memory()).contains(new WasmLimits(1, 100));
    }

    @Test
    void tellsACommandFromAReactor() {
        assertThat(WasmModule.parse(module(START)).kind()).isEqualTo(WasmModule.Kind.COMMAND);
        assertThat(WasmModule.parse(module(export("_initialize", 0, 0))).kind()).isEqualTo(WasmModule.Kind.REACTOR);
        assertThat(WasmModule.parse(module(export("gb_call", 0, 0))).kind()).isEqualTo(WasmModule.Kind.REACTOR);
        assertRefused(module(), "exports neither _start nor _initialize");
        assertRefused(module(export("_start", 3, 0)), "exports neither _start nor _initialize");
    }

    @Test
    void lowersTheMaximumOfAMemory() {
        WasmModule module = WasmModule.parse(COMMAND);
        assertThat(WasmModule.parse(module.withMemoryMax(50)).memory()).contains(new WasmLimits(1, 50));
        assertThat(WasmModule.parse(module.withMemoryMax(100)).memory()).contains(new WasmLimits(1, 100));
        assertThat(WasmModule.parse(module.withMemoryMax(2000)).memory()).contains(new WasmLimits(1, 100));
    }

    @Test
    void givesAMaximumToAMemoryWithout() {
        WasmModule module = WasmModule.parse(module(memory(0, 3), START));
        assertThat(module.memory()).contains(new WasmLimits(3, WasmLimits.UNDECLARED));
        assertThat(WasmModule.parse(module.withMemoryMax(2000)).memory()).contains(new WasmLimits(3, 2000));
    }

    @Test
    void refusesAModuleThatBeginsWithMoreMemoryThanItMayHave() {
        WasmModule module = WasmModule.parse(module(section(5, bytes(1, 0), number(2048)), START));
        assertThatExceptionOfType(GloveboxException.class)
                .isThrownBy(() -> module.withMemoryMax(256))
                .withMessage("the module needs 2048 pages of memory (134217728 bytes) to begin with;"
                        + " the limit is 256 pages (16777216 bytes): raise the memory limit")
                .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_LARGE));
        assertThat(module.withMemoryMax(2048)).isNotEmpty();
    }

    @Test
    void makesAMemoryAnImport() {
        byte[] rewritten = WasmModule.parse(COMMAND).withImportedMemory(50);
        assertRefused(rewritten, "the import env.memory (memory) is not offered");
        byte[] expected = concat(bytes(3), name("env"), name("memory"), bytes(2, 1, 1, 50));
        assertThat(text(rewritten)).contains(text(expected)).doesNotContain("\005\004\001\001\001\144");
    }

    @Test
    void makesAnImportSectionForAModuleWithout() {
        byte[] expected = module(
                TYPES,
                section(2, bytes(1), name("env"), name("memory"), bytes(2, 1, 1, 9)),
                section(3, bytes(0)),
                START);
        WasmModule module = WasmModule.parse(module(TYPES, section(3, bytes(0)), memory(0, 1), START));
        assertThat(module.withImportedMemory(9)).isEqualTo(expected);
        assertThatThrownBy(() -> WasmModule.parse(module(START)).withImportedMemory(9))
                .isInstanceOf(GloveboxException.class)
                .hasMessageContaining("no memory that could be imported");
    }

    @Test
    void leavesTheRestAsItIsAndDropsNames() {
        byte[] kept = section(0, name("producers"), bytes(1, 2, 3));
        byte[] module = module(kept, TYPES, memory(1, 1, 5), START, section(0, name("name"), bytes(9, 9)), kept);
        byte[] expected = module(kept, TYPES, memory(1, 1, 5), START, kept);
        assertThat(WasmModule.parse(module).withMemoryMax(100)).isEqualTo(expected);
        byte[] without = WasmModule.parse(COMMAND).withMemoryMax(100);
        assertThat(without).isEqualTo(Arrays.copyOf(COMMAND, COMMAND.length - 34));
    }

    @Test
    void countsThePagesThatFitIntoALimit() {
        assertThat(WasmModule.pages(Limits.MEMORY_BYTES_DEFAULT)).isEqualTo(4096);
        assertThat(WasmModule.pages(65_536 * 2 - 1)).isEqualTo(1);
        assertThat(WasmModule.pages(Limits.MEMORY_BYTES_MAX)).isEqualTo(32_767);
        assertThatThrownBy(() -> WasmModule.parse(COMMAND).withMemoryMax(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("0 pages are outside 1..32767");
    }

    @Test
    void refusesImportsThatAreNotOffered() {
        assertRefused(
                module(TYPES, importFunction("env", "system"), START),
                "the import env.system (function) is not offered");
        assertRefused(
                module(TYPES, importFunction("wasi_snapshot_preview1", "thread_spawn"), START),
                "the import wasi_snapshot_preview1.thread_spawn (function) is not offered");
        assertRefused(
                module(TYPES, importFunction("wasi_unstable", "fd_write"), START),
                "may import the functions of wasi_snapshot_preview1 and nothing else");
        assertRefused(
                module(TYPES, importFunction("\u001b[31m", "x".repeat(100)), START),
                "the import ??31m." + "x".repeat(64) + "... (function)");
        byte[] memory = section(2, bytes(1), name("env"), name("memory"), bytes(2, 0, 1));
        assertRefused(module(memory, START), "the import env.memory (memory) is not offered");
        byte[] global = section(2, bytes(1), name("wasi_snapshot_preview1"), name("fd_write"), bytes(3, 0x7f, 0));
        assertRefused(module(global, START), "fd_write (global) is not offered");
    }

    @Test
    void refusesImportsOfAnotherType() {
        byte[] wrong = section(1, bytes(1, 0x60, 2, 0x7f, 0x7e, 0));
        byte[] imported = importFunction("wasi_snapshot_preview1", "fd_write");
        assertThat(WasmModule.parse(module(TYPES, imported, START)).imports()).hasSize(1);
        assertRefused(module(wrong, imported, START), "has the type (iI) -> (); it must be (iiii) -> (i)");
        assertRefused(module(imported, START), "type 0 does not exist");
    }

    @Test
    void refusesMemoriesOfOtherKinds() {
        assertRefused(module(memory(3, 1, 2), START), "a memory is shared, 64-bit or of another page size (flags 3)");
        assertRefused(module(memory(2, 1), START), "(flags 2)");
        assertRefused(module(memory(4, 1), START), "(flags 4)");
        assertRefused(module(memory(8, 1, 0), START), "(flags 8)");
        assertRefused(module(section(5, bytes(2, 0, 1, 0, 1)), START), "it has 2 memories; the bound is 1");
        assertRefused(module(memory(1, 2, 1), START), "maximum of a memory is below its initial size");
        assertRefused(module(memory(0, 1, 0), START), "its memory section is longer than its content");
    }

    @Test
    void boundsTables() {
        byte[] huge = section(4, bytes(1, 0x70, 0), number(131_073));
        assertRefused(module(huge, START), "a table of 131073 entries is larger than the bound of 131072");
        assertRefused(module(section(4, bytes(17), new byte[100]), START), "it has 17 tables; the bound is 16");
        assertRefused(module(section(4, bytes(1, 0x63, 0, 0)), START), "a table of type 99 is not offered");
        byte[] unbounded = section(4, bytes(2, 0x70, 0, 5, 0x6f, 1, 1, 7));
        byte[] bounded = section(4, bytes(2, 0x70, 1, 5), number(131_072), bytes(0x6f, 1, 1, 7));
        assertThat(WasmModule.parse(module(unbounded, START)).withMemoryMax(1)).isEqualTo(module(bounded, START));
    }

    @Test
    void refusesTypesOfOtherProposals() {
        assertRefused(module(section(1, bytes(1, 0x5f, 0)), START), "form 95 (garbage collection)");
        assertRefused(module(section(1, bytes(1, 0x60, 1, 0x64, 0)), START), "value type 100 is not offered");
    }

    @Test
    void refusesSectionsThatAreTwiceOrOutOfOrder() {
        assertRefused(module(memory(0, 1), memory(0, 1), START), "section 5 is there twice or out of order");
        assertRefused(module(START, memory(0, 1)), "section 5 is there twice or out of order");
        assertRefused(module(section(14, bytes(0)), START), "section id 14 does not exist");
        WasmModule.parse(module(memory(0, 1), section(13, bytes(0)), section(6, bytes(0)), START));
    }

    @Test
    void refusesWhatIsNoModule() {
        assertRefused(bytes(), "it ends too early");
        assertRefused("#!/usr/bin/python3".getBytes(StandardCharsets.UTF_8), "does not begin with \\0asm");
        assertRefused(bytes(0, 'a', 's', 'm', 2, 0, 0, 0), "version 2 is not 1");
        assertRefused(bytes(0, 'a', 's', 'm', 0x0d, 0, 1, 0), "it is a component; build it for WASI preview 1");
        assertThatExceptionOfType(GloveboxException.class)
                .isThrownBy(() -> WasmModule.parse(new byte[Limits.MODULE_BYTES_MAX + 1]))
                .withMessageContaining("larger than the bound of 33554432")
                .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void refusesNumbersThatAreTooLongOrTooLarge() {
        assertRefused(module(bytes(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), "longer than five bytes");
        assertRefused(module(bytes(1, 0xff, 0xff, 0xff, 0xff, 0x0f)), "the number 4294967295 is too large");
        assertRefused(module(bytes(1, 0xff, 0xff, 0xff, 0xff, 0x7f)), "is too large");
        assertRefused(module(bytes(1, 0xff, 0xff, 0xff, 0xff, 0x07)), "2147483647 bytes are announced");
        byte[] padded = concat(bytes(5, 0x83, 0x80, 0x80, 0x80, 0), bytes(1, 0, 1));
        assertThat(WasmModule.parse(module(padded, START)).memory()).contains(new WasmLimits(1, Integer.MAX_VALUE));
    }

    @Test
    void refusesCountsThatCannotBeTrue() {
        assertRefused(module(section(1, number(50_000_000))), "announces 50000000 types in 0 bytes");
        assertRefused(module(section(2, number(1_000), new byte[3])), "announces 1000 imports in 3 bytes");
        assertRefused(module(section(7, bytes(1), number(1_000_000))), "1000000 bytes are announced");
        assertRefused(
                module(section(7, number(100_001), new byte[300_003])), "it has 100001 exports; the bound is 100000");
        assertRefused(module(section(7, bytes(1, 1, 0xff, 0, 0))), "a name is not UTF-8");
    }

    @Test
    void refusesAModuleThatIsCutOffAnywhere() {
        int refused = 0;
        for (int length = 0; length < COMMAND.length; length++) {
            byte[] cut = Arrays.copyOf(COMMAND, length);
            try {
                WasmModule.parse(cut).withMemoryMax(100);
            } catch (GloveboxException refusal) {
                assertThat(refusal.getMessage()).isNotBlank();
                refused++;
            }
        }
        // It is whole, as far as this class can tell, where a section after the exports ends.
        assertThat(refused).isEqualTo(COMMAND.length - 4);
    }

    @Test
    void refusesOrReadsAModuleWithAnyBytesChanged() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = COMMAND.clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                byte[] rewritten = WasmModule.parse(changed).withMemoryMax(100);
                assertThat(WasmModule.parse(rewritten)
                                .memory()
                                .map(WasmLimits::maximum)
                                .orElse(100))
                        .isLessThanOrEqualTo(100);
            } catch (GloveboxException refusal) {
                assertThat(refusal.getMessage()).isNotBlank();
            }
        }
    }
}
