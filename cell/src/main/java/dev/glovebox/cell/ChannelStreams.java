package dev.glovebox.cell;

import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.Tag;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// The streams of one process or execution, on its channel, with the output limit. The guest's thread calls;
/// [#bytes()] may come from any.
final class ChannelStreams implements GuestStreams {
    private static final String RULE = "limits.output";

    private final ChannelOutput output;
    private final Inbox input;
    private final long limit;
    private final Consumer<Runnable> waiting;
    private final Consumer<Outcome> end;
    private final AtomicLong used = new AtomicLong();

    /// @param end ends the guest when it passes a limit
    ChannelStreams(ChannelOutput output, Inbox input, long limit, Consumer<Runnable> waiting, Consumer<Outcome> end) {
        this.output = output;
        this.input = input;
        this.limit = limit;
        this.waiting = waiting;
        this.end = end;
    }

    long bytes() {
        return Math.min(used.get(), limit);
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (!input.isReady()) {
            output.drain();
            int[] count = {0};
            waiting.accept(() -> count[0] = input.read(target, offset, length));
            return count[0];
        }
        return input.read(target, offset, length);
    }

    @Override
    public void waitOutside(Runnable action) {
        output.drain();
        waiting.accept(action);
    }

    @Override
    public void stdout(byte[] bytes, int offset, int length) {
        write(Protocol.STDOUT, bytes, offset, length);
    }

    @Override
    public void stderr(byte[] bytes, int offset, int length) {
        write(Protocol.STDERR, bytes, offset, length);
    }

    private void write(int stream, byte[] bytes, int offset, int length) {
        long before = used.getAndAdd(length);
        long room = limit - before;
        if (room >= length) {
            output.write(stream, bytes, offset, length);
        } else {
            if (room > 0) {
                output.write(stream, bytes, offset, (int) room);
            }
            pastLimit("wrote more than its limit of " + limit + " bytes of output");
        }
    }

    @Override
    public void result(MimeBundle bundle) {
        Fields.Builder fields = Fields.builder().flag(Tag.MAIN_RESULT, bundle.main());
        long size = 0;
        for (var entry : bundle.data().entrySet()) {
            byte[] type = entry.getKey().getBytes(StandardCharsets.UTF_8);
            byte[] content = entry.getValue().getBytes(StandardCharsets.UTF_8);
            size += type.length + content.length;
            fields.bytes(Tag.MIME_TYPE, type).bytes(Tag.MIME_CONTENT, content);
        }
        if (size > Limits.RESULT_BYTES_MAX || bundle.data().size() > Limits.RESULT_TYPES_MAX) {
            pastLimit("gave a result larger than the limit of " + Limits.RESULT_BYTES_MAX + " bytes or "
                    + Limits.RESULT_TYPES_MAX + " types");
        } else {
            record(fields.build(), size);
        }
    }

    @Override
    public void error(ExecutionError error) {
        byte[] name = cut(error.name());
        byte[] value = cut(error.value());
        byte[] traceback = cut(error.traceback());
        record(
                Fields.builder()
                        .bytes(Tag.ERROR_NAME, name)
                        .bytes(Tag.ERROR_VALUE, value)
                        .bytes(Tag.ERROR_TRACEBACK, traceback)
                        .build(),
                (long) name.length + value.length + traceback.length);
    }

    /// The end of a text, which in a traceback says most.
    private static byte[] cut(String text) {
        String end = text.length() <= Limits.ERROR_CHARS_MAX
                ? text
                : "[…]" + text.substring(text.length() - Limits.ERROR_CHARS_MAX);
        return end.getBytes(StandardCharsets.UTF_8);
    }

    private void record(Fields fields, long size) {
        if (used.addAndGet(size) > limit) {
            pastLimit("wrote more than its limit of " + limit + " bytes of output and results");
        } else {
            output.record(fields);
        }
    }

    private void pastLimit(String reason) {
        end.accept(new Outcome.KilledByPolicy(RULE, reason));
    }
}
