package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertQuotaExact;
import static dev.glovebox.cell.fs.FileSystems.assertRefused;
import static dev.glovebox.cell.fs.FileSystems.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContentTest {
    private static final int CHUNK = Content.CHUNK_BYTES;

    private final MemoryFileSystem files = FileSystems.withBounds(100_000, 10);
    private final FileHandle file = new Guest(files).create("f");

    @Test
    void chargesSmallFilesLittleAndLargeOnesByTheChunk() {
        file.write(0, utf8("x"));
        assertThat(files.usedBytes()).isEqualTo(64);
        file.write(1, ByteBuffer.allocate(64));
        assertThat(files.usedBytes()).isEqualTo(128);
        file.write(0, ByteBuffer.allocate(CHUNK));
        assertThat(files.usedBytes()).isEqualTo(CHUNK);
        file.write(CHUNK, utf8("x"));
        assertThat(files.usedBytes()).isEqualTo(2 * CHUNK);
    }

    @Test
    void chargesAHoleOnlyWhenItIsWrittenTo() {
        file.resize(1L << 30);
        assertThat(files.usedBytes()).isZero();
        file.write((1L << 30) - 1, utf8("x"));
        assertThat(files.usedBytes()).isEqualTo(CHUNK);
        ByteBuffer target = ByteBuffer.allocate(3);
        assertThat(file.read((1L << 30) - 3, target)).isEqualTo(3);
        assertThat(target.array()).containsExactly(0, 0, 'x');
    }

    @Test
    void refusesFilesPastTheLargest() {
        assertRefused(() -> file.resize((1L << 30) + 1), Errno.FBIG, "at most 1073741824 bytes");
        assertRefused(() -> file.write(1L << 30, utf8("x")), Errno.FBIG, "at most 1073741824 bytes");
        assertRefused(() -> file.write(Long.MAX_VALUE, utf8("x")), Errno.FBIG, "at most 1073741824 bytes");
        assertRefused(() -> file.allocate(1, Long.MAX_VALUE), Errno.FBIG, "at most 1073741824 bytes");
        assertRefused(() -> file.allocate(1L << 30, 1), Errno.FBIG, "at most 1073741824 bytes");
        assertThat(file.read(Long.MAX_VALUE, ByteBuffer.allocate(1))).isZero();
    }

    @Test
    void refusesNegativeNumbers() {
        for (long negative : new long[] {-1, -5, Long.MIN_VALUE}) {
            assertRefused(() -> file.read(negative, ByteBuffer.allocate(9)), Errno.INVAL, "not negative");
            assertRefused(() -> file.write(negative, utf8("x")), Errno.INVAL, "not negative");
            assertRefused(() -> file.resize(negative), Errno.INVAL, "not negative");
            assertRefused(() -> file.allocate(negative, 1), Errno.INVAL, "not negative");
            assertRefused(() -> file.allocate(0, negative), Errno.INVAL, "not negative");
        }
        assertThat(files.usedBytes()).isZero();
    }

    @Test
    void writesAsMuchAsTheQuotaAllowsAndThenNothing() {
        ByteBuffer source = ByteBuffer.allocate(200_000);
        assertThat(file.write(0, source)).isEqualTo(6 * CHUNK);
        assertThat(file.attributes().size()).isEqualTo(6 * CHUNK);
        assertRefused(() -> file.write(6 * CHUNK, utf8("x")), Errno.NOSPC, "bound of 100000");
        assertThat(files.usedBytes()).isEqualTo(6 * CHUNK);
        file.write(5, utf8("overwriting is free"));
        file.resize(0);
        assertThat(files.usedBytes()).isZero();
        assertThat(file.write(0, utf8("x"))).isEqualTo(1);
    }

    @Test
    void readsZerosWhereCutBytesWereBefore() {
        file.write(0, ByteBuffer.wrap("secret".repeat(6000).getBytes(StandardCharsets.US_ASCII)));
        file.resize(CHUNK + 10);
        file.resize(3);
        file.resize(36_000);
        ByteBuffer target = ByteBuffer.allocate(36_000);
        assertThat(file.read(0, target)).isEqualTo(36_000);
        byte[] expected = Arrays.copyOf(new byte[] {'s', 'e', 'c'}, 36_000);
        assertThat(target.array()).isEqualTo(expected);
    }

    @Test
    void takesBackAnAllocationThatDoesNotFit() {
        file.write(0, utf8("x"));
        assertRefused(() -> file.allocate(0, 200_000), Errno.NOSPC, "bound of 100000");
        assertThat(file.attributes().size()).isEqualTo(1);
        assertThat(files.usedBytes()).isLessThanOrEqualTo(CHUNK);
        file.allocate(0, 50_000);
        assertThat(file.attributes().size()).isEqualTo(50_000);
        assertThat(files.usedBytes()).isEqualTo(4 * CHUNK);
        assertQuotaExact(files, List.of(file));
    }

    @Test
    void isTheSameAsAnArrayUnderAnySequenceOfOperations() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            MemoryFileSystem large = FileSystems.withBounds(10_000_000, 10);
            try (FileHandle handle = new Guest(large).create("f")) {
                byte[] model = {};
                for (int step = 0; step < 100; step++) {
                    int offset = random.nextInt(5 * CHUNK);
                    byte[] bytes = new byte[random.nextInt(2 * CHUNK)];
                    random.nextBytes(bytes);
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            handle.resize(offset);
                            model = Arrays.copyOf(model, offset);
                        }
                        case 1 -> {
                            ByteBuffer target = ByteBuffer.allocate(bytes.length);
                            int count = handle.read(offset, target);
                            assertThat(count).isEqualTo(Math.clamp(model.length - offset, 0, bytes.length));
                            assertThat(Arrays.copyOf(target.array(), count))
                                    .isEqualTo(
                                            count == 0
                                                    ? new byte[0]
                                                    : Arrays.copyOfRange(model, offset, offset + count));
                        }
                        default -> {
                            handle.write(offset, ByteBuffer.wrap(bytes));
                            if (bytes.length > 0) {
                                model = Arrays.copyOf(model, Math.max(model.length, offset + bytes.length));
                                System.arraycopy(bytes, 0, model, offset, bytes.length);
                            }
                        }
                    }
                    assertThat(handle.attributes().size()).isEqualTo(model.length);
                }
                assertQuotaExact(large, List.of(handle));
            }
        }
    }
}
