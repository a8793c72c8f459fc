package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FileCallsTest {
    private static final int WRITE_NEW = 7;
    private static final int APPEND = 19;

    private final FileCalls files =
            new FileCalls(new MemoryFileSystem(ResourceLimits.DEFAULT, InstantSource.system(), new Random(1)));

    @AfterEach
    void close() {
        files.close();
    }

    private void write(String path, int flags, String text) {
        int descriptor = files.open(path, flags);
        files.write(descriptor, -1, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        files.close(descriptor);
    }

    @Test
    void readsWhereTheLastCallEnded() {
        write("/tmp/a", WRITE_NEW, "abcdef");
        write("/tmp/a", APPEND, "gh");
        int descriptor = files.open("/tmp/a", 0);
        ByteBuffer five = ByteBuffer.allocate(5);
        assertThat(files.read(descriptor, -1, five)).isEqualTo(5);
        assertThat(files.read(descriptor, -1, five.clear())).isEqualTo(3);
        assertThat(files.read(descriptor, -1, five.clear())).isZero();
        assertThat(files.read(descriptor, 1, five.clear())).isEqualTo(5);
    }

    @Test
    void refusesDescriptorsThatAreNotOpen() {
        assertThatThrownBy(() -> files.read(3, -1, ByteBuffer.allocate(1)))
                .isInstanceOfSatisfying(
                        FsError.class, e -> assertThat(e.errno()).isEqualTo(Errno.BADF));
        int descriptor = files.open("/dev/null", 0);
        assertThatThrownBy(() -> files.write(descriptor, -1, ByteBuffer.allocate(1)))
                .isInstanceOf(FsError.class);
        files.close(descriptor);
        assertThatThrownBy(() -> files.close(descriptor)).isInstanceOf(FsError.class);
    }

    @Test
    void boundsOpenFiles() {
        for (int i = 0; i < Limits.OPEN_FILES_MAX; i++) {
            files.open("/dev/null", 0);
        }
        assertThatThrownBy(() -> files.open("/dev/null", 0))
                .isInstanceOfSatisfying(
                        FsError.class, e -> assertThat(e.errno()).isEqualTo(Errno.MFILE));
    }

    @Test
    void resolvesPathsInTheDirectoryAndNeverAboveTheRoot() {
        files.directory(GuestPath.HOME);
        files.makeDirectory("a/b", true);
        assertThat(files.changeDirectory("a/b")).isEqualTo("/home/user/a/b");
        write("c.txt", WRITE_NEW, "c");
        assertThat(files.stat("../../../../../../home/user/a/b/c.txt", true)).startsWith("FILE 1 ");
        assertThat(files.list(".")).isEqualTo("FILE c.txt");
    }

    @Test
    void findsWhereLinksLead() {
        files.makeDirectory("/tmp/real", false);
        write("/tmp/real/f", WRITE_NEW, "");
        files.link("real", "/tmp/link", true);
        files.link("/tmp/link/f", "/tmp/again", true);
        assertThat(files.realPath("/tmp/again")).isEqualTo("/tmp/real/f");
        files.link("loop", "/tmp/loop", true);
        assertThatThrownBy(() -> files.realPath("/tmp/loop"))
                .isInstanceOfSatisfying(
                        FsError.class, e -> assertThat(e.errno()).isEqualTo(Errno.LOOP));
    }

    @Test
    void removesByKind() {
        files.makeDirectory("/tmp/d/e", true);
        assertThatThrownBy(() -> files.remove("/tmp/d", 0)).isInstanceOf(FsError.class);
        assertThatThrownBy(() -> files.remove("/tmp/d", 1))
                .isInstanceOfSatisfying(
                        FsError.class, e -> assertThat(e.errno()).isEqualTo(Errno.NOTEMPTY));
        files.remove("/tmp/d", 2);
        assertThat(files.list("/tmp")).isEmpty();
    }
}
