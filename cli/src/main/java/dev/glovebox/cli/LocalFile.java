package dev.glovebox.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file of this machine that somebody named. A directory is refused by its name; the JDK would only say "Is a
/// directory", and later.
final class LocalFile {
    private LocalFile() {}

    static byte[] read(Path file) throws IOException {
        refuseDirectory(file);
        return Files.readAllBytes(file);
    }

    /// Refuses a file to write whose directory is missing; the JDK would only name the file.
    static void requireDirectoryOf(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException(
                    "there is no directory " + directory + " to write " + file.getFileName() + " into: make it first");
        }
    }

    static void refuseDirectory(Path file) throws FileSystemException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "it is a directory");
        }
    }
}
