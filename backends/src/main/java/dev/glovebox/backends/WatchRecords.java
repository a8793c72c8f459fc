package dev.glovebox.backends;

import dev.glovebox.core.WatchEvent;
import dev.glovebox.core.WatchSink;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;

/// Reads the records of a WATCH request.
final class WatchRecords {
    private static final int DIRECTORY = 2;

    private WatchRecords() {}

    static void tell(Fields record, WatchSink sink) {
        if (record.flag(Tag.STARTED)) {
            sink.watching();
        } else {
            sink.event(event(record));
        }
    }

    private static WatchEvent event(Fields record) {
        return new WatchEvent(
                kind(record.requiredNumber(Tag.WATCH_EVENT)),
                record.requiredText(Tag.PATH),
                record.number(Tag.FILE_TYPE, 0) == DIRECTORY,
                record.text(Tag.TARGET_PATH).orElse(""));
    }

    private static WatchEvent.Kind kind(long number) {
        return switch ((int) Math.min(number, Integer.MAX_VALUE)) {
            case 1 -> WatchEvent.Kind.CREATE;
            case 2 -> WatchEvent.Kind.WRITE;
            case 3 -> WatchEvent.Kind.REMOVE;
            case 4 -> WatchEvent.Kind.RENAME;
            case 5 -> WatchEvent.Kind.ATTRIBUTES;
            case 6 -> WatchEvent.Kind.OVERFLOW;
            default -> throw new ProtocolException("a directory has no event " + number);
        };
    }
}
