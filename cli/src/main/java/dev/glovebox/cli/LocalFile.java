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

    static void refuseDirectory(Path file) throws FileSystemException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "it is a directory");
        }
    }
}
