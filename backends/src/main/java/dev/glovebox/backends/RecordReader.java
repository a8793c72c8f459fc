package dev.glovebox.backends;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Puts a record stream together again, wherever the agent cut it: length u32, then that many bytes of fields. It holds
/// at most one record and allocates as bytes arrive, not as they are announced. Not thread-safe.
final class RecordReader {
    private final int boundBytes;
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private byte[] record = {};
    private int filled;
    private int expectedBytes = -1;

    /// @param boundBytes a longer record breaks the protocol; at most [Protocol#RECORD_BYTES_MAX]
    RecordReader(int boundBytes) {
        this.boundBytes = Math.min(boundBytes, Protocol.RECORD_BYTES_MAX);
    }

    void read(byte[] bytes, Consumer<Fields> sink) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            if (expectedBytes < 0) {
                readLength(rest);
            }
            if (expectedBytes >= 0) {
                readContent(rest);
                if (filled == expectedBytes) {
                    Fields fields = Fields.decode(java.util.Arrays.copyOf(record, filled));
                    record = new byte[0];
                    filled = 0;
                    expectedBytes = -1;
                    sink.accept(fields);
                }
            }
        }
    }

    private void readLength(ByteBuffer rest) {
        while (length.hasRemaining() && rest.hasRemaining()) {
            length.put(rest.get());
        }
        if (!length.hasRemaining()) {
            expectedBytes = length.flip().getInt();
            length.clear();
            if (expectedBytes < 0 || expectedBytes > boundBytes) {
                throw new ProtocolException("a record announces " + Integer.toUnsignedString(expectedBytes)
                        + " bytes; the bound is " + boundBytes);
            }
        }
    }

    private void readContent(ByteBuffer rest) {
        int part = Math.min(rest.remaining(), expectedBytes - filled);
        if (filled + part > record.length) {
            record = java.util.Arrays.copyOf(
                    record, Math.min(expectedBytes, Math.max(filled + part, record.length * 2)));
        }
        rest.get(record, filled, part);
        filled += part;
    }
}
