package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// That V8 runs its modules is checked whenever the benchmark runs.
class WasmMakerTest {
    private static final int SIZE = 50 * 1024;

    @Test
    void makesModulesOfTheSizeAskedForThatNoCacheKnows() {
        WasmMaker maker = new WasmMaker(new Random(1));
        byte[] first = maker.make(SIZE);
        byte[] second = maker.make(SIZE);
        assertThat(first).hasSizeBetween(SIZE * 9 / 10, SIZE * 11 / 10).startsWith(0, 'a', 's', 'm', 1, 0, 0, 0);
        assertThat(Arrays.equals(first, second)).isFalse();
    }
}
