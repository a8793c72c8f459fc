package dev.glovebox.server.api;

import dev.glovebox.sdk.Contents;
import dev.glovebox.wire.api.Content;
import java.util.Arrays;
import java.util.Optional;

/// Cuts a stream of bytes into pieces that end where a character ends, so that text stays text however the
/// guest's writes fall. Not thread-safe.
final class Utf8Splitter {
    private byte[] carried = new byte[0];

    /// The piece that is complete with these bytes; empty if there is none yet.
    Optional<Content> push(byte[] bytes) {
        byte[] all = Arrays.copyOf(carried, carried.length + bytes.length);
        System.arraycopy(bytes, 0, all, carried.length, bytes.length);
        int cut = all.length - incompleteTail(all);
        carried = Arrays.copyOfRange(all, cut, all.length);
        return cut == 0 ? Optional.empty() : Optional.of(Contents.of(Arrays.copyOf(all, cut)));
    }

    /// What is left at the end.
    Optional<Content> finish() {
        byte[] rest = carried;
        carried = new byte[0];
        return rest.length == 0 ? Optional.empty() : Optional.of(Contents.of(rest));
    }

    /// How many bytes at the end are the beginning of a character whose rest may follow: 0 to 3.
    private static int incompleteTail(byte[] bytes) {
        for (int back = 1; back <= Math.min(3, bytes.length); back++) {
            int b = bytes[bytes.length - back] & 0xff;
            if (b < 0x80) {
                return 0;
            }
            if (b >= 0xc0) {
                int length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
                return length > back ? back : 0;
            }
        }
        return 0;
    }
}
