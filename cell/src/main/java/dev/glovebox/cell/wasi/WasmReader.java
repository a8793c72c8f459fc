package dev.glovebox.cell.wasi;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Reads the binary format of WebAssembly, between two offsets, and believes nothing: every length is checked
/// against what is left before it is used.
final class WasmReader {
    private final byte[] bytes;
    private final int end;
    private int position;

    WasmReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.end = end;
        position = start;
    }

    int position() {
        return position;
    }

    boolean atEnd() {
        return position == end;
    }

    int u8() {
        if (position >= end) {
            throw malformed("it ends too early");
        }
        return bytes[position++] & 0xff;
    }

    /// An unsigned LEB128 number of at most 32 bits, which must be below 2^31: nothing that is counted or
    /// measured in a module of the size that we take is larger. Up to five bytes, as the specification allows;
    /// linkers pad.
    int u32() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int next = u8();
            value |= (next & 0x7fL) << shift;
            if ((next & 0x80) == 0) {
                if (value > Integer.MAX_VALUE) {
                    throw malformed("the number " + value + " is too large");
                }
                return (int) value;
            }
        }
        throw malformed("a number is longer than five bytes");
    }

    /// A count of things that take at least one byte each.
    int count(String what, int max) {
        int count = u32();
        if (count > end - position) {
            throw malformed("it announces " + count + " " + what + " in " + (end - position) + " bytes");
        }
        if (count > max) {
            throw malformed("it has " + count + " " + what + "; the bound is " + max);
        }
        return count;
    }

    String name() {
        int length = u32();
        int start = position;
        skip(length);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, start, length))
                    .toString();
        } catch (CharacterCodingException _) {
            throw malformed("a name is not UTF-8");
        }
    }

    void skip(int length) {
        if (length > end - position) {
            throw malformed("it ends too early: " + length + " bytes are announced, " + (end - position) + " are left");
        }
        position += length;
    }

    void requireEnd(String what) {
        if (position != end) {
            throw malformed("its " + what + " section is longer than its content");
        }
    }

    GloveboxException malformed(String what) {
        return new GloveboxException(
                ErrorCode.INVALID_ARGUMENT,
                "the WebAssembly module cannot run here: " + what + " (at byte " + position + ")");
    }
}
