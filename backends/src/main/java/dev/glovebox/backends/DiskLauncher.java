package dev.glovebox.backends;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Starts `mkfs.ext4`, which makes an empty file system in a file.
final class DiskLauncher {
    private static final List<String> PLACES = List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin");
    private static final int SECONDS_MAX = 30;
    private static final int WORDS_MAX = 500;

    private DiskLauncher() {}

    static Optional<Path> program() {
        return PLACES.stream()
                .map(place -> Path.of(place, "mkfs.ext4"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /// Fills a file of the wanted size with an empty file system: without a journal, for nothing of it outlives a
    /// crash,
    /// and with as little written as can be, for it is copied for each sandbox.
    static void format(Path program, Path file, long inodes) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                program.toString(),
                "-q",
                "-F",
                "-O",
                "^has_journal,^resize_inode",
                "-m",
                "0",
                "-b",
                Integer.toString(Disks.BLOCK_BYTES),
                "-N",
                Long.toString(inodes),
                "-E",
                "lazy_itable_init=1,nodiscard,root_owner=0:0",
                file.toString());
        builder.environment().clear();
        builder.redirectErrorStream(true);
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readNBytes(WORDS_MAX), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("mkfs.ext4 did not end within " + SECONDS_MAX + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException("mkfs.ext4 ended with " + process.exitValue() + ": " + said);
        }
    }
}
