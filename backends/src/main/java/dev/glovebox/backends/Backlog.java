package dev.glovebox.backends;

import dev.glovebox.wire.agent.Protocol;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Bytes of a channel's streams that nobody has taken yet, in their order. Credit counts payload only, and a
/// guest can have every byte sent in a frame of its own: as objects, those would cost the host seventy times
/// what it granted. So they are kept as bytes, and neighbours of one stream become one. Of many bytes in one
/// frame the object weighs nothing, and copying them would: those are kept as they came. Not thread-safe.
final class Backlog {
    /// Before each run of bytes: its stream, one byte, and its length.
    private static final int HEADER_BYTES = 1 + Integer.BYTES;
    /// From here on the bytes of a frame stay in their array.
    static final int WHOLE_BYTES_MIN = 4 * 1024;
    /// In a run's first byte: its bytes are the next of [#whole], and do not follow.
    private static final int IS_WHOLE = 0x80;
    /// An array that is larger than this is given away when it is empty.
    private static final int KEPT_BYTES_MAX = 8 * 1024;

    /// Some bytes of one stream.
    record Part(int stream, byte[] bytes) {}

    private final ArrayDeque<byte[]> whole = new ArrayDeque<>();
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private int head;
    private int tail;
    /// Where the newest run begins; of no meaning if there is none.
    private int newest;

    boolean isEmpty() {
        return head == tail;
    }

    /// @param bytes given away by who had them
    void add(int stream, byte[] bytes) {
        if (bytes.length >= WHOLE_BYTES_MIN) {
            makeRoom(HEADER_BYTES);
            newest = tail;
            buffer.put(tail, (byte) (stream | IS_WHOLE)).putInt(tail + 1, bytes.length);
            tail += HEADER_BYTES;
            whole.add(bytes);
            return;
        }
        makeRoom(HEADER_BYTES + bytes.length);
        int length = isEmpty() ? 0 : buffer.getInt(newest + 1);
        if (length > 0 && buffer.get(newest) == stream && length + bytes.length <= Protocol.PAYLOAD_BYTES_MAX) {
            buffer.putInt(newest + 1, length + bytes.length);
        } else {
            newest = tail;
            buffer.put(tail, (byte) stream).putInt(tail + 1, bytes.length);
            tail += HEADER_BYTES;
        }
        buffer.put(tail, bytes);
        tail += bytes.length;
    }

    /// The oldest bytes; there must be some.
    Part remove() {
        Part part = (buffer.get(head) & IS_WHOLE) == 0 ? removeCopied() : removeWhole();
        if (isEmpty()) {
            head = 0;
            tail = 0;
            if (buffer.capacity() > KEPT_BYTES_MAX) {
                buffer = ByteBuffer.allocate(0);
            }
        }
        return part;
    }

    private Part removeCopied() {
        byte[] bytes = new byte[buffer.getInt(head + 1)];
        Part part = new Part(buffer.get(head), bytes);
        buffer.get(head + HEADER_BYTES, bytes);
        head += HEADER_BYTES + bytes.length;
        return part;
    }

    private Part removeWhole() {
        Part part = new Part(buffer.get(head) & ~IS_WHOLE & 0xff, whole.remove());
        head += HEADER_BYTES;
        return part;
    }

    /// What it holds of the heap.
    int capacityBytes() {
        return buffer.capacity()
                + whole.stream().mapToInt(bytes -> bytes.length).sum();
    }

    private void makeRoom(int wanted) {
        if (tail + wanted <= buffer.capacity()) {
            return;
        }
        int used = tail - head;
        // Moving at most what is free to the left keeps the cost of each byte constant.
        byte[] target = head >= used && used + wanted <= buffer.capacity()
                ? buffer.array()
                : new byte[Math.max(used + wanted, 2 * used)];
        System.arraycopy(buffer.array(), head, target, 0, used);
        buffer = ByteBuffer.wrap(target);
        newest -= head;
        head = 0;
        tail = used;
    }
}
