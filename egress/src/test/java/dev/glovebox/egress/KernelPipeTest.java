package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The pipe between two sockets of loopback.
class KernelPipeTest {
    private LoopbackPair from;
    private LoopbackPair to;
    private KernelPipe pipe;

    @BeforeEach
    void open() throws IOException {
        from = LoopbackPair.open();
        to = LoopbackPair.open();
        from.proxy().configureBlocking(false);
        to.guest().configureBlocking(false);
        pipe = KernelPipe.open().orElseThrow();
    }

    @AfterEach
    void close() throws IOException {
        pipe.close();
        for (SocketChannel each : new SocketChannel[] {from.guest(), from.proxy(), to.guest(), to.proxy()}) {
            each.close();
        }
    }

    private int source() {
        return SocketDescriptors.of(from.proxy());
    }

    private int target() {
        return SocketDescriptors.of(to.guest());
    }

    @Test
    void movesEveryByteInOrder() throws Exception {
        byte[] sent = new byte[8_000_000];
        new Random(3).nextBytes(sent);
        Thread writer = Thread.ofVirtual().start(() -> {
            try {
                ByteBuffer left = ByteBuffer.wrap(sent);
                while (left.hasRemaining()) {
                    from.guest().write(left);
                }
                from.guest().shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        Thread reader = Thread.ofVirtual().start(() -> {
            ByteBuffer piece = ByteBuffer.allocate(100_000);
            try {
                while (to.proxy().read(piece.clear()) >= 0) {
                    received.write(piece.array(), 0, piece.position());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        long count;
        do {
            count = pipe.fill(source(), KernelPipe.BYTES);
            while (pipe.held() > 0) {
                pipe.drain(target());
            }
        } while (count >= 0);
        to.guest().shutdownOutput();
        writer.join();
        reader.join();
        assertThat(received.size()).isEqualTo(sent.length);
        assertThat(Arrays.mismatch(received.toByteArray(), sent)).isEqualTo(-1);
    }

    @Test
    void nothingToTakeIsNotTheEnd() throws IOException {
        assertThat(pipe.fill(source(), 10)).isZero();
        from.guest().shutdownOutput();
        assertThat(pipe.fill(source(), 10)).isEqualTo(-1);
    }

    @Test
    void whatNobodyTakesIsHeld() throws IOException {
        from.guest().configureBlocking(false);
        long held = 0;
        while (held == 0) {
            // Until whoever should read has no room left.
            from.guest().write(ByteBuffer.allocate(100_000));
            pipe.fill(source(), 100_000);
            pipe.drain(target());
            held = pipe.held();
        }
        pipe.drain(target());
        assertThat(pipe.held()).isEqualTo(held);
    }
}
