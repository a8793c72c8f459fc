package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.TestGuest.BUFFER;
import static dev.glovebox.cell.wasi.TestGuest.RESULT;
import static dev.glovebox.cell.wasi.TestGuest.VECTORS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProcessCallsTest {
    private final TestGuest guest = new TestGuest();

    private String strings(WasiFunction sizes, WasiFunction get) {
        guest.succeed(sizes, RESULT, RESULT + 4);
        int count = guest.memory.getInt(RESULT);
        int bytes = guest.memory.getInt(RESULT + 4);
        guest.succeed(get, VECTORS, BUFFER);
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int start = guest.memory.getInt(VECTORS + 4 * i);
            int end = start;
            while (guest.memory.get(end) != 0) {
                end++;
            }
            assertThat(end).isLessThan(BUFFER + bytes);
            all.append(guest.string(start, end - start)).append('|');
        }
        return all.toString();
    }

    @Test
    void handsInArgumentsAndEnvironment() {
        assertThat(strings(WasiFunction.ARGS_SIZES_GET, WasiFunction.ARGS_GET)).isEqualTo("program|first argument|");
        assertThat(strings(WasiFunction.ENVIRON_SIZES_GET, WasiFunction.ENVIRON_GET))
                .isEqualTo("A=é|B=2|");
        assertThat(guest.call(WasiFunction.ARGS_GET, TestGuest.MEMORY_BYTES - 4, BUFFER))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.ARGS_GET, VECTORS, TestGuest.MEMORY_BYTES - 4))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.ARGS_SIZES_GET, RESULT, -1)).isEqualTo(Errno.FAULT);
    }

    @Test
    void refusesArgumentsThatCCannotHold() {
        assertRefused(List.of("a\0b"), Map.of(), "arguments cannot hold a NUL");
        assertRefused(List.of(), Map.of("A", "\0"), "environment variables cannot hold a NUL");
        assertRefused(List.of(), Map.of("A=B", ""), "has no '='");
        assertRefused(List.of(), Map.of("", ""), "is not empty");
        assertRefused(Collections.nCopies(4097, ""), Map.of(), "4097 arguments are more than the bound of 4096");
        assertRefused(List.of("x".repeat(131_072)), Map.of(), "131073 bytes are more than the bound of 131072");
    }

    private static void assertRefused(List<String> arguments, Map<String, String> environment, String words) {
        assertThatExceptionOfType(GloveboxException.class)
                .isThrownBy(() -> new WasiProgram(arguments, environment))
                .withMessageContaining(words)
                .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void exitsWithTheStatusAShellWouldShow() {
        for (int[] codeAndStatus : new int[][] {{0, 0}, {3, 3}, {256, 0}, {-1, 255}}) {
            assertThatExceptionOfType(ProcExit.class)
                    .isThrownBy(() -> guest.call(WasiFunction.PROC_EXIT, codeAndStatus[0]))
                    .withMessage("the guest exited with status " + codeAndStatus[1])
                    .satisfies(exit -> {
                        assertThat(exit.status()).isEqualTo(codeAndStatus[1]);
                        assertThat(exit.getStackTrace()).isEmpty();
                    });
        }
    }

    @Test
    void raisesNoSignalsAndYields() {
        assertThat(guest.call(WasiFunction.PROC_RAISE, 6)).isEqualTo(Errno.NOTSUP);
        guest.succeed(WasiFunction.SCHED_YIELD);
    }

    @Test
    void fillsExactlyTheBufferWithRandomBytes() {
        guest.succeed(WasiFunction.RANDOM_GET, BUFFER, 100_000);
        byte[] bytes = new byte[100_001];
        guest.memory.get(BUFFER, bytes);
        int zeros = 0;
        for (byte each : bytes) {
            zeros += each == 0 ? 1 : 0;
        }
        assertThat(zeros).isBetween(300, 500);
        assertThat(bytes[100_000]).isZero();
        guest.succeed(WasiFunction.RANDOM_GET, TestGuest.MEMORY_BYTES, 0);
        assertThat(guest.call(WasiFunction.RANDOM_GET, 1, TestGuest.MEMORY_BYTES))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.RANDOM_GET, 1, -1)).isEqualTo(Errno.FAULT);
    }

    @Test
    void stopsMakingRandomBytesWhenInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> guest.call(WasiFunction.RANDOM_GET, BUFFER, 10))
                .isInstanceOf(GuestInterrupted.class)
                .hasMessage("the guest was interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void tellsTheTimeInCoarseSteps() {
        long[] expected = {TestGuest.NOW_NANOS / 100_000 * 100_000, 1_000_000_000, 5_200_000, 5_200_000};
        for (int clock = 0; clock < 4; clock++) {
            guest.succeed(WasiFunction.CLOCK_TIME_GET, clock, 1, RESULT);
            assertThat(guest.memory.getLong(RESULT)).isEqualTo(expected[clock]);
            guest.succeed(WasiFunction.CLOCK_RES_GET, clock, RESULT);
            assertThat(guest.memory.getLong(RESULT)).isEqualTo(100_000);
        }
        assertThat(guest.call(WasiFunction.CLOCK_TIME_GET, 4, 0, RESULT)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.CLOCK_RES_GET, -1, RESULT)).isEqualTo(Errno.INVAL);
    }

    @Test
    void takesTheClocksOfTheHostWithoutItsUptime() {
        AtomicLong cpu = new AtomicLong(42);
        GuestClock clock = GuestClock.system(InstantSource.fixed(Instant.ofEpochSecond(7, 8)), cpu::get);
        assertThat(clock.realtimeNanos()).isEqualTo(7_000_000_008L);
        assertThat(clock.monotonicNanos()).isBetween(0L, 1_000_000_000L);
        assertThat(clock.cpuNanos()).isEqualTo(42);
    }
}
