package dev.glovebox.cell.fs;

import dev.glovebox.core.Limits;
import java.util.ArrayList;
import java.util.List;

/// Names of files and the paths that they make.
final class GuestNames {
    private GuestNames() {}

    /// Refuses what cannot be one part of a path. A lone surrogate is refused because it has no UTF-8 form: the
    /// guest would see another name than the host.
    static void check(String name) {
        int bytes = utf8Length(name);
        if (bytes > Limits.FILE_NAME_BYTES_MAX) {
            throw new FsError(
                    Errno.NAMETOOLONG,
                    "file name too long: " + bytes + " bytes; the bound is " + Limits.FILE_NAME_BYTES_MAX);
        }
    }

    static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw new FsError(Errno.INVAL, "invalid argument: a file name cannot hold a NUL");
            } else if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new FsError(Errno.ILSEQ, "illegal byte sequence: a file name is not valid Unicode");
            }
        }
        return bytes;
    }

    /// The path itself and all above it except the root, the uppermost first: for `/a/b`, `/a` and `/a/b`.
    static List<String> steps(String path) {
        List<String> steps = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            steps.add(path.substring(0, slash));
        }
        if (path.length() > 1) {
            steps.add(path);
        }
        return steps;
    }
}
