package dev.glovebox.cell.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What the tests of this package share: a file system with small bounds, short ways to its operations, and an
/// audit of its quota by counting everything again.
public final class FileSystems {
    private FileSystems() {}

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final OpenOptions CREATE = new OpenOptions(true, false, false, false, true);

    static MemoryFileSystem withBounds(long bytes, int files) {
        return new MemoryFileSystem(limits(bytes, files), InstantSource.fixed(START), new Random(1));
    }

    static ResourceLimits limits(long bytes, int files) {
        return new ResourceLimits(
                Limits.WALL_TIME_DEFAULT,
                Limits.CPU_TIME_DEFAULT,
                Limits.MEMORY_BYTES_DEFAULT,
                Limits.OUTPUT_BYTES_DEFAULT,
                bytes,
                files);
    }

    static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static void assertRefused(ThrowingCallable call, Errno errno, String words) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FsError.class).hasMessageContaining(words);
        assertThat(((FsError) thrown).errno()).isEqualTo(errno);
    }

    /// Counts the bytes and files of the whole tree, and of `open` handles on removed files, and compares them to
    /// what the quota believes.
    public static void assertQuotaExact(MemoryFileSystem files, List<FileHandle> open) {
        files.runLocked(() -> {
            long bytes = 0;
            int count = 0;
            Set<Node> seen = new HashSet<>();
            Deque<Directory> pending = new ArrayDeque<>();
            pending.push(files.fromRoot("/", false).parent());
            while (!pending.isEmpty()) {
                for (Directory.Entry entry : pending.pop().entries()) {
                    count += entry.node().fixed ? 0 : 1;
                    bytes += seen.add(entry.node()) ? bytesOf(entry.node()) : 0;
                    if (entry.node() instanceof Directory directory) {
                        pending.push(directory);
                    }
                }
            }
            for (FileHandle handle : open) {
                if (handle.node().links == 0 && seen.add(handle.node())) {
                    count++;
                    bytes += bytesOf(handle.node());
                }
            }
            assertThat(files.usedBytes()).as("bytes").isEqualTo(bytes);
            assertThat(files.usedFiles()).as("files").isEqualTo(count);
        });
    }

    private static long bytesOf(Node node) {
        return switch (node) {
            case Node.Regular regular -> regular.content.allocatedBytes();
            case Node.Link link -> link.size();
            case Directory _, Node.Shared _, Node.Device _ -> 0;
        };
    }
}
