package dev.glovebox.cell.wasi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WasiFunctionTest {
    /// The types that wasi-libc's own headers give the imports, compiled by clang 19.
    private static final Map<String, String> SPECIFICATION = Map.ofEntries(
            Map.entry("args_get", "ii"),
            Map.entry("args_sizes_get", "ii"),
            Map.entry("clock_res_get", "ii"),
            Map.entry("clock_time_get", "iIi"),
            Map.entry("environ_get", "ii"),
            Map.entry("environ_sizes_get", "ii"),
            Map.entry("fd_advise", "iIIi"),
            Map.entry("fd_allocate", "iII"),
            Map.entry("fd_close", "i"),
            Map.entry("fd_datasync", "i"),
            Map.entry("fd_fdstat_get", "ii"),
            Map.entry("fd_fdstat_set_flags", "ii"),
            Map.entry("fd_fdstat_set_rights", "iII"),
            Map.entry("fd_filestat_get", "ii"),
            Map.entry("fd_filestat_set_size", "iI"),
            Map.entry("fd_filestat_set_times", "iIIi"),
            Map.entry("fd_pread", "iiiIi"),
            Map.entry("fd_prestat_dir_name", "iii"),
            Map.entry("fd_prestat_get", "ii"),
            Map.entry("fd_pwrite", "iiiIi"),
            Map.entry("fd_read", "iiii"),
            Map.entry("fd_readdir", "iiiIi"),
            Map.entry("fd_renumber", "ii"),
            Map.entry("fd_seek", "iIii"),
            Map.entry("fd_sync", "i"),
            Map.entry("fd_tell", "ii"),
            Map.entry("fd_write", "iiii"),
            Map.entry("path_create_directory", "iii"),
            Map.entry("path_filestat_get", "iiiii"),
            Map.entry("path_filestat_set_times", "iiiiIIi"),
            Map.entry("path_link", "iiiiiii"),
            Map.entry("path_open", "iiiiiIIii"),
            Map.entry("path_readlink", "iiiiii"),
            Map.entry("path_remove_directory", "iii"),
            Map.entry("path_rename", "iiiiii"),
            Map.entry("path_symlink", "iiiii"),
            Map.entry("path_unlink_file", "iii"),
            Map.entry("poll_oneoff", "iiii"),
            Map.entry("proc_exit", "i"),
            Map.entry("proc_raise", "i"),
            Map.entry("random_get", "ii"),
            Map.entry("sched_yield", ""),
            Map.entry("sock_accept", "iii"),
            Map.entry("sock_recv", "iiiiii"),
            Map.entry("sock_send", "iiiii"),
            Map.entry("sock_shutdown", "ii"));

    @Test
    void hasEveryFunctionOfTheSpecificationWithItsType() {
        Map<String, String> offered = Arrays.stream(WasiFunction.values())
                .collect(Collectors.toMap(WasiFunction::importName, WasiFunction::parameters));
        assertThat(offered).isEqualTo(SPECIFICATION);
        assertThat(Arrays.stream(WasiFunction.values()).filter(function -> !function.hasResult()))
                .containsExactly(WasiFunction.PROC_EXIT);
    }

    @Test
    void isFoundByTheNameThatGuestsImport() {
        assertThat(WasiFunction.ofImportName("fd_write")).contains(WasiFunction.FD_WRITE);
        assertThat(WasiFunction.ofImportName("FD_WRITE")).isEmpty();
        assertThat(WasiFunction.ofImportName("fd_exec")).isEmpty();
    }

    @Test
    void takesTwoIntsForAnI64TheLowHalfFirst() {
        assertThat(WasiFunction.PATH_OPEN.argumentCount()).isEqualTo(11);
        try (TestGuest guest = new TestGuest()) {
            int fd = guest.created("f", "");
            int code = WasiFunction.FD_SEEK.invoke(guest.wasi, new int[] {fd, -2, 1, 0, TestGuest.RESULT});
            assertThat(code).isZero();
            assertThat(guest.memory.getLong(TestGuest.RESULT)).isEqualTo(0x1_ffff_fffeL);
        }
    }

    @Test
    void refusesABinderThatPassesTheWrongNumberOfInts() {
        try (TestGuest guest = new TestGuest()) {
            assertThatThrownBy(() -> WasiFunction.FD_SEEK.invoke(guest.wasi, new int[4]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("fd_seek takes 5 ints, not 4");
        }
    }
}
