package dev.glovebox.cell;

import dev.glovebox.core.Limits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// A request whose fields do not fit in one frame: gathers the records that follow OPEN, until END.
final class MoreFields implements Channel {
    /// The largest module, and room for everything beside it.
    private static final int BYTES_MAX = Limits.MODULE_BYTES_MAX + 2 * 1024 * 1024;

    private final FrameSocket socket;
    private final int channel;
    private final Consumer<Fields> begin;
    private final ByteArrayOutputStream fields = new ByteArrayOutputStream();
    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private boolean cancelled;

    /// @param begin starts the request, whose channel this then no longer is
    MoreFields(FrameSocket socket, int channel, byte[] first, Consumer<Fields> begin) {
        this.socket = socket;
        this.channel = channel;
        this.begin = begin;
        fields.writeBytes(first);
    }

    @Override
    public void data(int stream, byte[] bytes) {
        require(stream);
        if (records.size() + bytes.length > BYTES_MAX) {
            throw new ProtocolException("the fields of a request are longer than " + BYTES_MAX + " bytes");
        }
        if (!cancelled) {
            records.writeBytes(bytes);
        }
        ChannelIo.grant(socket, channel, Protocol.RECORDS, bytes.length);
    }

    @Override
    public void end(int stream) {
        require(stream);
        if (cancelled) {
            return;
        }
        ByteBuffer left = ByteBuffer.wrap(records.toByteArray());
        while (left.hasRemaining()) {
            int length = left.remaining() < Integer.BYTES ? -1 : left.getInt();
            if (length < 0 || length > Protocol.RECORD_BYTES_MAX || length > left.remaining()) {
                throw new ProtocolException("a record is cut or too long");
            }
            fields.write(left.array(), left.position(), length);
            left.position(left.position() + length);
        }
        begin.accept(Fields.decode(fields.toByteArray()));
    }

    private static void require(int stream) {
        if (stream != Protocol.RECORDS) {
            throw new ProtocolException("stream " + stream + " before the request has begun");
        }
    }

    @Override
    public void cancel() {
        if (!cancelled) {
            cancelled = true;
            socket.send(new Frame(
                    FrameType.CLOSE,
                    0,
                    channel,
                    Fields.builder()
                            .number(Tag.STATUS, Status.CANCELLED.code())
                            .text(Tag.MESSAGE, "cancelled by the host")
                            .build()
                            .encode()));
        }
    }
}
