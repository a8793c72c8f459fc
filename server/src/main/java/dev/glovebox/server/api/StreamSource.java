package dev.glovebox.server.api;

import dev.glovebox.core.ByteSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/// Bytes of a request's body for a command. A body comes in pieces of 8 KiB, and each piece costs a frame on
/// its way into a sandbox and a system call there: so they are gathered until the target is full or the body
/// ends.
public record StreamSource(InputStream content) implements ByteSource {
    @Override
    public int read(byte[] target) {
        try {
            int count = content.readNBytes(target, 0, target.length);
            return count == 0 && target.length > 0 ? -1 : count;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int read(ByteBuffer target) {
        if (!(content instanceof WideInput wide)) {
            return ByteSource.super.read(target);
        }
        try {
            int begun = target.position();
            int count = 0;
            while (target.hasRemaining() && count >= 0) {
                count = wide.read(target);
            }
            return target.position() > begun ? target.position() - begun : count;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
