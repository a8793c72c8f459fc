package dev.glovebox.egress;

/// Where the head of a message ends.
final class HeadEnd {
    private HeadEnd() {}

    /// Whether the bytes end with an empty line.
    static boolean isEnd(byte[] bytes, int length) {
        return length >= 4
                && bytes[length - 1] == '\n'
                && bytes[length - 2] == '\r'
                && bytes[length - 3] == '\n'
                && bytes[length - 4] == '\r';
    }
}
