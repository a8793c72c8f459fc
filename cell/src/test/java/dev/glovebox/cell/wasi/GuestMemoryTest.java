package dev.glovebox.cell.wasi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import java.nio.ByteBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class GuestMemoryTest {
    private final GuestMemory memory = new GuestMemory();

    private static void assertFault(ThrowingCallable access) {
        assertThatExceptionOfType(FsError.class)
                .isThrownBy(access)
                .withMessage("bad address")
                .satisfies(error -> assertThat(error.errno()).isEqualTo(Errno.FAULT));
    }

    @Test
    void isEmptyUntilItGetsItsBuffer() {
        assertThat(memory.size()).isZero();
        assertFault(() -> memory.getByte(0));
        memory.check(0, 0);
    }

    @Test
    void allowsTheLastByteAndNothingAfterIt() {
        memory.refresh(ByteBuffer.allocate(100));
        memory.putLong(92, -1);
        assertThat(memory.getLong(92)).isEqualTo(-1);
        assertThat(memory.getByte(99)).isEqualTo(0xff);
        memory.check(100, 0);
        assertFault(() -> memory.putLong(93, 0));
        assertFault(() -> memory.getInt(97));
        assertFault(() -> memory.getShort(99));
        assertFault(() -> memory.getByte(100));
        assertFault(() -> memory.slice(1, 100));
        assertFault(() -> memory.check(101, 0));
    }

    @Test
    void isNotFooledByNumbersThatOverflow() {
        memory.refresh(ByteBuffer.allocate(100));
        for (int huge : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, -100}) {
            assertFault(() -> memory.check(huge, 1));
            assertFault(() -> memory.check(0, huge));
            assertFault(() -> memory.check(99, huge));
            assertFault(() -> memory.getBytes(50, huge));
            assertFault(() -> memory.getLong(huge));
        }
    }

    @Test
    void givesWindowsThatEndWhereTheyShould() {
        memory.refresh(ByteBuffer.allocate(100));
        ByteBuffer window = memory.slice(10, 5);
        assertThat(window.capacity()).isEqualTo(5);
        window.put(new byte[] {1, 2, 3, 4, 5});
        assertThat(memory.getInt(10)).isEqualTo(0x04030201);
        assertThat(memory.getByte(15)).isZero();
    }

    @Test
    void followsTheMemoryWhenItGrows() {
        memory.refresh(ByteBuffer.allocate(100));
        ByteBuffer grown = ByteBuffer.allocate(200);
        grown.position(50).limit(60);
        memory.refresh(grown);
        assertThat(memory.size()).isEqualTo(200);
        memory.putInt(196, 7);
        assertThat(grown.clear().get(196)).isEqualTo((byte) 7);
    }
}
