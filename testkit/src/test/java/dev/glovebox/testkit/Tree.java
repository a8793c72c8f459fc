package dev.glovebox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The source tree: the files that git knows or would add.
final class Tree {
    static final Path ROOT =
            Path.of(System.getProperty("glovebox.root", "..")).toAbsolutePath().normalize();

    private Tree() {}

    /// All tracked files, and those that are new and not ignored, relative to the root.
    static List<Path> files() {
        try {
            Process git = new ProcessBuilder("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
                    .directory(ROOT.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String names = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (git.waitFor() != 0) {
                throw new AssertionError("git ls-files failed in " + ROOT + ": is it a clone?");
            }
            return names.lines()
                    .flatMap(line -> List.of(line.split("\0", -1)).stream())
                    .filter(name -> !name.isEmpty())
                    .map(Path::of)
                    .filter(path -> Files.isRegularFile(ROOT.resolve(path)))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    static List<Path> files(String ending) {
        return files().stream().filter(path -> path.toString().endsWith(ending)).toList();
    }

    /// The text of a file, which must be there.
    static String read(String path) {
        Path file = ROOT.resolve(path);
        if (!Files.isRegularFile(file)) {
            throw new AssertionError(path + " is missing: this tree needs it");
        }
        return read(file);
    }

    static String read(Path file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(file + " is not UTF-8 text, or cannot be read", failure);
        }
    }
}
