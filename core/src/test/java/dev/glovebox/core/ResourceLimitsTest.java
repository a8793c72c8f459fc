package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResourceLimitsTest {
    private static final ResourceLimits DEFAULT = ResourceLimits.DEFAULT;

    private interface Making {
        ResourceLimits make();
    }

    private static void refused(Making making, String... words) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, making::make);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    private static ResourceLimits time(Duration wall, Duration cpu) {
        return new ResourceLimits(
                wall, cpu, DEFAULT.memoryBytes(), DEFAULT.outputBytes(), DEFAULT.diskBytes(), DEFAULT.fileCount());
    }

    private static ResourceLimits space(long memory, long output, long disk, int files) {
        return new ResourceLimits(DEFAULT.wallTime(), DEFAULT.cpuTime(), memory, output, disk, files);
    }

    @Test
    void takesEachBoundItself() {
        assertThat(time(Duration.ofMillis(1), Duration.ofMillis(1)).wallTime()).isEqualTo(Duration.ofMillis(1));
        assertThat(time(Limits.WALL_TIME_MAX, Limits.CPU_TIME_MAX).cpuTime()).isEqualTo(Limits.CPU_TIME_MAX);
        assertThat(space(Limits.MEMORY_BYTES_MIN, 0, 0, 1).fileCount()).isEqualTo(1);
        assertThat(space(Limits.MEMORY_BYTES_MAX, Limits.OUTPUT_BYTES_MAX, Limits.DISK_BYTES_MAX, Limits.FILE_COUNT_MAX)
                        .memoryBytes())
                .isEqualTo(Limits.MEMORY_BYTES_MAX);
    }

    @Test
    void refusesWhatIsBeyondEachBoundAndNamesIt() {
        Duration tick = Duration.ofMillis(1);
        refused(() -> time(Duration.ZERO, tick), "wall time in ms is 0", "1..86400000");
        refused(() -> time(Duration.ofMillis(-5), tick), "wall time in ms is -5");
        refused(() -> time(Limits.WALL_TIME_MAX.plus(tick), tick), "wall time", "86400001");
        refused(() -> time(tick, Duration.ofNanos(999_999)), "cpu time in ms is 0");
        refused(() -> time(tick, Limits.CPU_TIME_MAX.plus(tick)), "cpu time");
        refused(() -> space(Limits.MEMORY_BYTES_MIN - 1, 0, 0, 1), "memory in bytes", "16777215");
        refused(() -> space(Limits.MEMORY_BYTES_MAX + 1, 0, 0, 1), "memory in bytes");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, -1, 0, 1), "output in bytes is -1");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, Limits.OUTPUT_BYTES_MAX + 1, 0, 1), "output in bytes");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, 0, -1, 1), "disk in bytes is -1");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, 0, Limits.DISK_BYTES_MAX + 1, 1), "disk in bytes");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, 0, 0, 0), "file count is 0");
        refused(() -> space(Limits.MEMORY_BYTES_MIN, 0, 0, Limits.FILE_COUNT_MAX + 1), "file count");
    }

    @Test
    void theBoundsOfTheProductFitTogether() {
        assertThat(Limits.WALL_TIME_DEFAULT).isLessThanOrEqualTo(Limits.WALL_TIME_MAX);
        assertThat(Limits.CPU_TIME_DEFAULT).isLessThanOrEqualTo(Limits.CPU_TIME_MAX);
        assertThat(Limits.MEMORY_BYTES_DEFAULT).isBetween(Limits.MEMORY_BYTES_MIN, Limits.MEMORY_BYTES_MAX);
        assertThat(Limits.OUTPUT_BYTES_DEFAULT).isLessThanOrEqualTo(Limits.OUTPUT_BYTES_MAX);
        assertThat(Limits.OUTPUT_BYTES_DEFAULT)
                .as("a default run's output fits in a reply")
                .isLessThanOrEqualTo(Limits.BUFFERED_OUTPUT_BYTES_MAX);
        assertThat(Limits.DISK_BYTES_DEFAULT).isLessThanOrEqualTo(Limits.DISK_BYTES_MAX);
        assertThat(Limits.FILE_COUNT_DEFAULT).isLessThanOrEqualTo(Limits.FILE_COUNT_MAX);
        assertThat(Limits.LEASE_DEFAULT).isLessThanOrEqualTo(Limits.LEASE_MAX);
        assertThat(Limits.SANDBOXES_PER_TENANT_MAX).isLessThanOrEqualTo(Limits.SANDBOXES_MAX);
        assertThat(Limits.PAGE_SIZE_DEFAULT).isLessThanOrEqualTo(Limits.PAGE_SIZE_MAX);
        assertThat((long) Limits.AUDIT_RECORD_BYTES_MAX * 100).isLessThan(Limits.AUDIT_SEGMENT_BYTES_MAX);
        assertThat((long) Limits.CODE_BYTES_MAX).isLessThan(Limits.REQUEST_BYTES_MAX);
        assertThat((long) Limits.MODULE_BYTES_MAX * 4 / 3)
                .as("a module in base64 fits in a request")
                .isLessThan(Limits.REQUEST_BYTES_MAX);
    }
}
