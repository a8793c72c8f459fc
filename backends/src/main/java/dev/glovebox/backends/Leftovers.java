package dev.glovebox.backends;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Removes what processes of this home that were killed left in its run directory. Their mounts went with them.
final class Leftovers {
    private static final System.Logger LOG = System.getLogger(Leftovers.class.getName());
    private static final Pattern NAME = Pattern.compile("linux-(\\d{1,9})|agents-(\\d{1,9})\\.sock");

    private Leftovers() {}

    static void remove(Path runDirectory) throws IOException {
        List<Path> left;
        try (Stream<Path> entries = Files.list(runDirectory)) {
            left = entries.filter(Leftovers::isOfDeadProcess).toList();
        }
        left.forEach(Leftovers::delete);
    }

    private static boolean isOfDeadProcess(Path entry) {
        Matcher name = NAME.matcher(entry.getFileName().toString());
        if (!name.matches()) {
            return false;
        }
        long pid = Long.parseLong(name.group(1) == null ? name.group(2) : name.group(1));
        return pid != ProcessHandle.current().pid()
                && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty();
    }

    /// A directory with all that is in it, or a file.
    static void delete(Path directory) {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException failure) {
            LOG.log(System.Logger.Level.WARNING, "{0} could not be removed: {1}", directory, failure.getMessage());
        }
    }
}
