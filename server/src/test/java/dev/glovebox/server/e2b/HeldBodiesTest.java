package dev.glovebox.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HeldBodiesTest {
    private static final int MIB = 1 << 20;

    private static InputStream body(int bytes) {
        return new ByteArrayInputStream(new byte[bytes]);
    }

    @Test
    void bodiesComeWholeOrCutBehindTheirBound() throws Exception {
        HeldBodies bodies = new HeldBodies(MIB);
        for (int length : new int[] {0, 1, 64 * 1024, 64 * 1024 + 1, 200_000, MIB}) {
            try (HeldBodies.Body body = bodies.read(body(length), MIB)) {
                assertThat(body.bytes()).hasSize(length);
            }
        }
        try (HeldBodies.Body body = bodies.read(body(2 * MIB), MIB)) {
            assertThat(body.bytes()).hasSize(MIB + 1);
        }
        try (HeldBodies.Body body = bodies.read(body(100), 10)) {
            assertThat(body.bytes()).hasSize(11);
        }
    }

    @Test
    void largeOnesAreRefusedWhereThereIsNoRoomAndSmallOnesAreNot() throws Exception {
        HeldBodies bodies = new HeldBodies(MIB);
        try (HeldBodies.Body _ = bodies.read(body(100_000), MIB)) {
            try (HeldBodies.Body small = bodies.read(body(1000), MIB)) {
                assertThat(small.bytes()).hasSize(1000);
            }
            assertThatThrownBy(() -> bodies.read(body(100_000), MIB)).isInstanceOf(GloveboxException.class);
        }
        bodies.read(body(100_000), MIB).close();
    }

    @Test
    void aBodyThatBreaksOffGivesItsPlaceBack() throws Exception {
        HeldBodies bodies = new HeldBodies(MIB);
        InputStream broken = new SequenceInputStream(body(100_000), new FilterInputStream(body(1)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                throw new IOException("gone");
            }
        });
        assertThatThrownBy(() -> bodies.read(broken, MIB)).isInstanceOf(UncheckedIOException.class);
        bodies.read(body(100_000), MIB).close();
    }
}
