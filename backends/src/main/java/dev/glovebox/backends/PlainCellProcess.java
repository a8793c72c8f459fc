package dev.glovebox.backends;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A cell as a child of this process, without a jail: where the host allows none.
final class PlainCellProcess implements CellProcess {
    /// A line of a cell's log; a cell that a guest took over could write any.
    private static final int LOG_LINE_CHARS_MAX = 1000;
    /// Lines of one cell's log that are kept; the rest is read and dropped, so that the cell never blocks on it.
    private static final int LOG_LINES_MAX = 1000;

    private static final Duration LOG_END_MAX = Duration.ofSeconds(1);

    private final Process process;
    private final Thread log;

    PlainCellProcess(Process process) {
        this.process = process;
        this.log = Thread.ofPlatform()
                .daemon()
                .name("cell-" + process.pid() + "-log")
                .start(() -> copyLog(process));
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void onEnd(Consumer<String> action) {
        var _ = process.onExit()
                .thenAccept(ended -> action.accept("its process ended with status " + ended.exitValue()));
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public boolean awaitEnd(Duration atMost) throws InterruptedException {
        if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        // Not for ever: whatever else holds the other end of its log must not hold us.
        log.join(LOG_END_MAX);
        return true;
    }

    private static void copyLog(Process process) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            int count = 0;
            String line;
            while ((line = readLine(lines)) != null) {
                count++;
                if (count <= LOG_LINES_MAX) {
                    CellLog.says(process.pid(), line);
                }
            }
        } catch (IOException _) {
            // The process ended.
        }
    }

    /// As BufferedReader.readLine, but a line without end does not fill the memory.
    private static @Nullable String readLine(Reader reader) throws IOException {
        StringBuilder line = new StringBuilder();
        int character;
        while ((character = reader.read()) >= 0 && character != '\n') {
            if (line.length() < LOG_LINE_CHARS_MAX) {
                line.append((char) character);
            }
        }
        return character < 0 && line.isEmpty() ? null : line.toString();
    }
}
