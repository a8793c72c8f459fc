package dev.glovebox.server.e2b.envd;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A part of a file that is asked for: from `first` to `last`, both included.
record ByteRange(long first, long last) {
    private static final Pattern ONE = Pattern.compile("bytes=\\s*([0-9]{0,18})-([0-9]{0,18})\\s*");

    long length() {
        return last - first + 1;
    }

    /// The value of `Content-Range`.
    String of(long size) {
        return "bytes " + first + "-" + last + "/" + size;
    }

    /// No part of the file lies within what is asked for.
    static final class Unsatisfiable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unsatisfiable() {
            super("no part of the file is in this range");
        }
    }

    /// Reads `Range`. Empty if it is none, or names several parts: then the whole file is a right answer.
    static Optional<ByteRange> of(String header, long size) {
        Matcher matcher = ONE.matcher(header);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String from = matcher.group(1);
        String to = matcher.group(2);
        if (from.isEmpty() && to.isEmpty()) {
            return Optional.empty();
        }
        if (from.isEmpty()) {
            long suffix = Math.min(Long.parseLong(to), size);
            if (suffix == 0) {
                throw new Unsatisfiable();
            }
            return Optional.of(new ByteRange(size - suffix, size - 1));
        }
        long first = Long.parseLong(from);
        long last = to.isEmpty() ? size - 1 : Math.min(Long.parseLong(to), size - 1);
        if (first >= size) {
            throw new Unsatisfiable();
        }
        return last < first ? Optional.empty() : Optional.of(new ByteRange(first, last));
    }
}
