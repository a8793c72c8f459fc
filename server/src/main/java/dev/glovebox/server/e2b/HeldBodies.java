package dev.glovebox.server.e2b;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Bodies of requests that are read as a whole. Together they have a bound, so that many large ones at once wait, and
/// are refused in the end, instead of taking the memory that everybody needs; small ones are always read. Thread-safe.
public final class HeldBodies {
    private static final int SMALL_BYTES = 64 * 1024;
    private static final Duration WAIT_MAX = Duration.ofSeconds(5);

    private final Semaphore room;

    /// Bodies of the product's bound together.
    public HeldBodies() {
        this(Limits.ENVD_MESSAGES_BYTES_MAX);
    }

    HeldBodies(int bytesMax) {
        this.room = new Semaphore(bytesMax);
    }

    /// A body; closing it gives its place back.
    public final class Body implements AutoCloseable {
        private final byte[] bytes;
        private int taken;

        private Body(byte[] bytes, int taken) {
            this.bytes = bytes;
            this.taken = taken;
        }

        public byte[] bytes() {
            return bytes;
        }

        @Override
        public void close() {
            room.release(taken);
            taken = 0;
        }
    }

    /// Reads a body to its end. One that is longer than `bytesMax` comes cut to one byte more.
    ///
    /// @throws GloveboxException OVERLOADED if there is no room for it
    public Body read(InputStream in, int bytesMax) throws InterruptedException {
        int taken = 0;
        boolean isRead = false;
        try {
            byte[] bytes = in.readNBytes(Math.min(SMALL_BYTES, bytesMax) + 1);
            if (bytes.length > SMALL_BYTES && bytes.length <= bytesMax) {
                take(bytesMax);
                taken = bytesMax;
                byte[] rest = in.readNBytes(bytesMax + 1 - bytes.length);
                byte[] all = Arrays.copyOf(bytes, bytes.length + rest.length);
                System.arraycopy(rest, 0, all, bytes.length, rest.length);
                bytes = all;
            }
            isRead = true;
            return new Body(bytes, taken);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (!isRead) {
                room.release(taken);
            }
        }
    }

    private void take(int bytes) throws InterruptedException {
        if (!room.tryAcquire(bytes, WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new GloveboxException(
                    ErrorCode.OVERLOADED,
                    "the server holds as many large requests as it can: try again, or send the content in parts");
        }
    }
}
