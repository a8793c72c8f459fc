package dev.glovebox.egress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/// Counts what is read from a side of a connection whose requests are looked at, and holds it to the sandbox's
/// limits.
final class MeteredStreams {
    private MeteredStreams() {}

    /// Told of each piece.
    interface Moved {
        /// So many bytes came.
        ///
        /// @throws IOException if that was too much
        void moved(int bytes) throws IOException;
    }

    static InputStream of(InputStream in, SandboxMeter meter, SandboxMeter.Way way, Moved moved) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (length == 0) {
                    return 0;
                }
                int allowed = (int) meter.allow(way, length);
                while (allowed == 0) {
                    pause(meter.nanosUntilAllowed(way));
                    allowed = (int) meter.allow(way, length);
                }
                int read = super.read(bytes, offset, allowed);
                meter.giveBack(way, allowed - Math.max(0, read));
                if (read > 0) {
                    meter.moved(way, read);
                    moved.moved(read);
                }
                return read;
            }
        };
    }

    private static void pause(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(Math.max(nanos, 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the network of a sandbox is held back");
        }
    }
}
