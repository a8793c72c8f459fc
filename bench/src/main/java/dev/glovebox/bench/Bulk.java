package dev.glovebox.bench;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;

/// Many bytes that nobody holds at once: a block, repeated, whose length divides no buffer's.
final class Bulk {
    private static final int BLOCK_BYTES = 65_521;

    private final byte[] block;
    private final long length;

    Bulk(long length) {
        this.length = length;
        this.block = new byte[BLOCK_BYTES];
        new Random(1).nextBytes(block);
    }

    /// The same line again and again, as `yes` prints it.
    Bulk(long length, byte[] line) {
        this.length = length;
        this.block = new byte[BLOCK_BYTES / line.length * line.length];
        for (int i = 0; i < block.length; i++) {
            block[i] = line[i % line.length];
        }
    }

    InputStream source() {
        return new Source();
    }

    Check check() {
        return new Check();
    }

    private final class Source extends InputStream {
        private long position;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int count) {
            Objects.checkFromIndexSize(offset, count, target.length);
            if (position >= length) {
                return -1;
            }
            int from = (int) (position % block.length);
            int done = (int) Math.min(Math.min(count, block.length - from), length - position);
            System.arraycopy(block, from, target, offset, done);
            position += done;
            return done;
        }
    }

    /// Takes the bytes back and insists that they are the same.
    final class Check extends OutputStream {
        private long position;
        private boolean isSame = true;

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) {
            int done = 0;
            while (done < count) {
                int from = (int) (position % block.length);
                int next = Math.min(count - done, block.length - from);
                isSame &= Arrays.equals(bytes, offset + done, offset + done + next, block, from, from + next);
                done += next;
                position += next;
            }
        }

        /// Throws unless all of them came, unchanged.
        void end(String what) {
            if (position != length || !isSame) {
                throw new BenchException(
                        what + ": " + position + " bytes came of " + length + (isSame ? "" : ", and not the same"));
            }
        }
    }
}
