package dev.glovebox.server.api;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A request's body that is refused as soon as it is longer than a bound.
final class BoundedInput extends FilterInputStream {
    private long left;

    BoundedInput(InputStream in, long bytesMax) {
        super(in);
        this.left = bytesMax;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = super.read(target, offset, length);
        count(Math.max(0, count));
        return count;
    }

    private void count(int bytes) {
        left -= bytes;
        if (left < 0) {
            throw tooLarge();
        }
    }

    static GloveboxException tooLarge() {
        return new GloveboxException(
                ErrorCode.TOO_LARGE,
                "the request's body is larger than the bound of " + Limits.REQUEST_BYTES_MAX
                        + " bytes: write large files into a sandbox one by one");
    }
}
