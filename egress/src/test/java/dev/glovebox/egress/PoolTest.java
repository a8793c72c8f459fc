package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What all sandboxes share.
class PoolTest {
    @Test
    void someCannotUseUpWhatAllNeed() {
        Pool pool = new Pool(100, () -> 10);
        Pool.Share greedy = pool.share(1000);
        Pool.Share second = pool.share(1000);
        assertThat(greedy.take(50)).as("half is for whoever comes first").isTrue();
        assertThat(greedy.take(1)).isFalse();
        assertThat(second.take(5)).as("an even part of the other half").isTrue();
        assertThat(second.take(1)).isFalse();
        for (int i = 0; i < 9; i++) {
            assertThat(pool.share(1000).take(5)).isTrue();
        }
        assertThat(pool.taken()).isEqualTo(100);
        assertThat(pool.share(1000).take(1)).as("there is no more than all").isFalse();
        greedy.give(50);
        assertThat(pool.taken()).isEqualTo(50);
        second.give(5);
        assertThat(second.take(5)).isTrue();
    }

    @Test
    void nobodyHasMoreThanItsOwnBound() {
        Pool pool = new Pool(100, () -> 0);
        Pool.Share share = pool.share(3);
        assertThat(share.take(4)).isFalse();
        assertThat(share.take(3)).isTrue();
        assertThat(share.fits(1)).isFalse();
        share.add(10);
        assertThat(pool.taken()).isEqualTo(13);
        share.give(13);
        assertThat(pool.taken()).isZero();
        assertThat(share.fits(1)).isTrue();
    }
}
