package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;

/// A root file system in a directory, which may be a stranger's: its links are followed as they would be inside it, so
/// that `/etc -> /somewhere` never leads to the host's files. Nobody else changes it meanwhile.
final class RootTree {
    /// Lower bits of a directory's or file's mode.
    private static final int MODE_RADIX = 8;

    private final Path root;

    RootTree(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    /// Where a path inside the tree really is. Links on the way are followed, the last part too unless `noFollow`.
    ///
    /// @throws GloveboxException if links lead in a circle
    Path locate(String path, LinkOption... options) throws IOException {
        boolean followsLast = options.length == 0;
        Deque<String> rest = new ArrayDeque<>();
        pushParts(rest, path);
        Path at = root;
        int links = 0;
        while (!rest.isEmpty()) {
            String part = rest.pop();
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            if (part.equals("..")) {
                at = at.equals(root) ? root : at.resolveSibling("");
                continue;
            }
            Path next = at.resolve(part);
            if (Files.isSymbolicLink(next) && (followsLast || !rest.isEmpty())) {
                if (++links > Limits.SYMLINK_DEPTH_MAX) {
                    throw new GloveboxException(
                            ErrorCode.INVALID_ARGUMENT, "the links of " + path + " in the template lead in a circle");
                }
                String target = Files.readSymbolicLink(next).toString();
                pushParts(rest, target);
                at = target.startsWith("/") ? root : at;
            } else {
                at = next;
            }
        }
        return at;
    }

    private static void pushParts(Deque<String> rest, String path) {
        String[] parts = path.split("/", -1);
        for (int i = parts.length - 1; i >= 0; i--) {
            rest.push(parts[i]);
        }
    }

    /// Makes a directory and its parents, for root; leaves one that is there as it is.
    Path directory(String path, String mode) throws IOException {
        Path at = root;
        StringBuilder done = new StringBuilder();
        for (String part : path.split("/", -1)) {
            if (!part.isEmpty()) {
                done.append('/').append(part);
                at = locate(done.toString());
                if (!Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectories(at); // with the parents that a link leads through
                    setMode(at, done.toString().equals(path) ? mode : "0755");
                }
            }
        }
        return at;
    }

    /// Puts a file there, in place of whatever it was.
    void copy(Path from, String to, String mode) throws IOException {
        Path target = place(to);
        Files.copy(from, target, StandardCopyOption.REPLACE_EXISTING);
        setMode(target, mode);
    }

    void write(String to, String content, String mode) throws IOException {
        Path target = place(to);
        // A new file: the old one may have other names, and a link is replaced, not written through.
        Files.deleteIfExists(target);
        Files.writeString(target, content);
        setMode(target, mode);
    }

    /// Adds to a file that is there, or makes it.
    void append(String to, String line) throws IOException {
        Path target = locate(to);
        String before = Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS) ? Files.readString(target) : "";
        String separator = before.isEmpty() || before.endsWith("\n") ? "" : "\n";
        Files.writeString(target, before + separator + line + "\n");
    }

    private Path place(String to) throws IOException {
        int slash = to.lastIndexOf('/');
        return directory(to.substring(0, slash), "0755").resolve(to.substring(slash + 1));
    }

    private static void setMode(Path file, String mode) throws IOException {
        Files.setAttribute(file, "unix:mode", Integer.parseInt(mode, MODE_RADIX), LinkOption.NOFOLLOW_LINKS);
    }

    String read(String path) throws IOException {
        Path file = locate(path);
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.readString(file) : "";
    }

    boolean isFile(String path) throws IOException {
        return Files.isRegularFile(locate(path), LinkOption.NOFOLLOW_LINKS);
    }

    /// Removes everything in a directory, and keeps the directory.
    void empty(String path) throws IOException {
        Path directory = locate(path);
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            delete(directory, false);
        }
    }

    /// Removes a file, a link or a tree.
    void remove(String path) throws IOException {
        delete(locate(path, LinkOption.NOFOLLOW_LINKS), true);
    }

    /// Removes a tree without ever following a link.
    static void delete(Path tree, boolean itself) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @org.jspecify.annotations.Nullable IOException e)
                    throws IOException {
                if (e != null) {
                    throw e;
                }
                if (itself || !directory.equals(tree)) {
                    Files.delete(directory);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /// Removes device nodes, sockets and pipes: a sandbox has devices of its own, and no use for the others.
    ///
    /// @return the paths that were removed
    Set<String> removeSpecialFiles() throws IOException {
        Set<String> removed = new TreeSet<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isOther()) {
                    Files.delete(file);
                    removed.add("/" + root.relativize(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return removed;
    }

    /// The mode as `rwxr-xr-x`, for tests.
    static String modeOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    }
}
