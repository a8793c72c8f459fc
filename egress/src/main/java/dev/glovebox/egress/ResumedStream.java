package dev.glovebox.egress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A stream of which some was read already: that comes again, then the rest. At its end it closes nothing: the
/// same socket still carries the other direction. Not thread-safe.
final class ResumedStream extends FilterInputStream {
    private final byte[] first;
    private int at;

    ResumedStream(byte[] first, InputStream rest) {
        super(rest);
        this.first = first;
    }

    @Override
    public int read() throws IOException {
        return at < first.length ? first[at++] & 0xff : super.read();
    }

    /// What was read already comes by itself, so that nobody waits for more of it.
    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (at == first.length) {
            return super.read(bytes, offset, length);
        }
        int part = Math.min(length, first.length - at);
        System.arraycopy(first, at, bytes, offset, part);
        at += part;
        return part;
    }
}
