package dev.glovebox.backends;

import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/// A frame whose payload is filled in place, outside of the JVM's heap: the kernel reads into it and writes from it,
/// and nothing is copied in between. Kept for others when it is released. Not thread-safe.
final class FrameBuffer {
    /// 4 MiB: more are made when they are needed, and forgotten afterwards.
    private static final int KEPT_MAX = 64;

    private static final ConcurrentLinkedDeque<ByteBuffer> KEPT = new ConcurrentLinkedDeque<>();
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ByteBuffer bytes;

    private FrameBuffer(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /// One without a payload yet.
    static FrameBuffer take() {
        ByteBuffer kept = KEPT.poll();
        if (kept == null) {
            kept = ByteBuffer.allocateDirect(Protocol.HEADER_BYTES + Protocol.PAYLOAD_BYTES_MAX);
        } else {
            COUNT.decrementAndGet();
        }
        return new FrameBuffer(kept.clear().position(Protocol.HEADER_BYTES));
    }

    /// To be filled from its position on.
    ByteBuffer payload() {
        return bytes;
    }

    int length() {
        return bytes.position() - Protocol.HEADER_BYTES;
    }

    /// The whole frame, to be written.
    ByteBuffer finished(FrameType type, int stream, int channel) {
        int length = length();
        Frame.putHeader(bytes.flip(), type, stream, channel, length);
        return bytes.rewind();
    }

    byte[] copy() {
        byte[] payload = new byte[length()];
        bytes.get(Protocol.HEADER_BYTES, payload);
        return payload;
    }

    /// Nobody uses it any more.
    void release() {
        if (COUNT.incrementAndGet() <= KEPT_MAX) {
            KEPT.add(bytes);
        } else {
            COUNT.decrementAndGet();
        }
    }
}
