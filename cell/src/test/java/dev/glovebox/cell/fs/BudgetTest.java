package dev.glovebox.cell.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.ResourceLimits;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Many file systems in one heap: their quotas add up to more than it holds, the budget does not.
class BudgetTest {
    private static final int MIB = 1024 * 1024;

    private final Budget budget = new Budget(3L * MIB);

    private MemoryFileSystem files() {
        return new MemoryFileSystem(ResourceLimits.DEFAULT, InstantSource.system(), new Random(1), budget);
    }

    private static void write(MemoryFileSystem files, String path, int bytes) {
        new HostFiles(files).write(new GuestPath(path), ByteBuffer.allocate(bytes), WriteOptions.DEFAULT);
    }

    @Test
    void oneSandboxCannotUseWhatAnotherHasTaken() {
        MemoryFileSystem one = files();
        MemoryFileSystem other = files();
        write(one, "/tmp/large", 2 * MIB);
        assertThatThrownBy(() -> write(other, "/tmp/large", 2 * MIB))
                .isInstanceOfSatisfying(
                        FsError.class, error -> assertThat(error.errno()).isEqualTo(Errno.NOSPC))
                .hasMessageContaining("no space left");
    }

    @Test
    void aSandboxThatEndsGivesEverythingBack() {
        MemoryFileSystem files = files();
        write(files, "/tmp/one", MIB);
        write(files, "/tmp/two", MIB);
        assertThat(budget.used()).isGreaterThanOrEqualTo(2L * MIB);
        files.release();
        files.release();
        assertThat(budget.used()).isZero();
    }

    @Test
    void aRemovedFileGivesItsBytesBack() {
        MemoryFileSystem files = files();
        write(files, "/tmp/one", MIB);
        new HostFiles(files).remove(new GuestPath("/tmp/one"), false);
        assertThat(budget.used()).isZero();
    }

    @Test
    void nothingIsWrittenAfterTheEnd() {
        MemoryFileSystem files = files();
        files.release();
        assertThatThrownBy(() -> write(files, "/tmp/late", 10)).isInstanceOf(FsError.class);
        assertThat(budget.used()).isZero();
    }
}
