package dev.glovebox.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// An absolute path inside a sandbox, normalised as text: no `.`, no `..`, no empty part, no NUL. It never names
/// anything on the host. Symbolic links are resolved where the files are, not here.
public record GuestPath(String value) {
    public static final GuestPath ROOT = new GuestPath("/");
    public static final GuestPath HOME = new GuestPath("/home/user");

    public GuestPath {
        if (!value.startsWith("/")) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "a path inside a sandbox is absolute and begins with '/'");
        }
        if (value.indexOf('\0') >= 0) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "a path cannot hold a NUL character");
        }
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Limits.PATH_BYTES_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a path of " + bytes + " bytes is longer than the bound of " + Limits.PATH_BYTES_MAX);
        }
        value = normalise(value);
    }

    /// Resolves a path as a user writes it: absolute as it stands, else below `base`.
    public static GuestPath resolve(GuestPath base, String path) {
        return new GuestPath(path.startsWith("/") ? path : base.value + "/" + path);
    }

    private static String normalise(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/", -1)) {
            switch (part) {
                case "", "." -> {}
                case ".." -> parts.pollLast();
                default -> parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts);
    }

    /// The last part of the path; empty for the root.
    public String fileName() {
        return value.substring(value.lastIndexOf('/') + 1);
    }

    @Override
    public String toString() {
        return value;
    }
}
