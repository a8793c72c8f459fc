package dev.glovebox.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/// Reads the newest records of an audit log as they stand in the file: JSON, one line each, pure ASCII. Checks
/// nothing, takes no lock, and may run while a server appends. Thread-safe.
public final class AuditReader {
    private static final int LINES_MAX = 100_000;
    private static final Duration POLL = Duration.ofMillis(200);

    private final Path directory;

    public AuditReader(Path directory) {
        this.directory = directory;
    }

    /// The last `count` records, oldest first; fewer if there are fewer.
    public List<String> tail(int count) {
        return List.copyOf(read(count).lines());
    }

    /// The last `count` records, and then each as it is appended, until this thread is interrupted.
    public void follow(int count, Consumer<String> sink) throws InterruptedException {
        Tail tail = read(count);
        tail.lines().forEach(sink);
        int number = tail.number();
        long position = tail.position();
        while (true) {
            try {
                position = follow(number, position, sink);
                if (hasNext(number)) {
                    // The segment is closed: what came between the two looks is read, then the next one.
                    follow(number, position, sink);
                    number = number == 0
                            ? AuditFormat.segments(directory).getFirst().number()
                            : number + 1;
                    position = 0;
                    continue;
                }
            } catch (IOException failure) {
                throw new UncheckedIOException("cannot read the audit log: " + failure.getMessage(), failure);
            }
            Thread.sleep(POLL);
        }
    }

    private boolean hasNext(int number) throws IOException {
        List<AuditFormat.Segment> segments = AuditFormat.segments(directory);
        return !segments.isEmpty() && segments.getLast().number() > number;
    }

    private long follow(int number, long from, Consumer<String> sink) throws IOException {
        if (number == 0) {
            return from;
        }
        try (LineReader lines = new LineReader(AuditFormat.segment(directory, number), from)) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                sink.accept(text(line));
            }
            return lines.position();
        }
    }

    private record Tail(Deque<String> lines, int number, long position) {}

    private Tail read(int count) {
        if (count < 0 || count > LINES_MAX) {
            throw new IllegalArgumentException("a count of " + count + " is outside 0.." + LINES_MAX);
        }
        try {
            Deque<String> lines = new ArrayDeque<>();
            List<AuditFormat.Segment> segments = AuditFormat.segments(directory);
            long end = 0;
            for (int i = segments.size() - 1; i >= 0 && (lines.size() < count || i == segments.size() - 1); i--) {
                long whole = readBackwards(segments.get(i).path(), count, lines);
                if (i == segments.size() - 1) {
                    end = whole;
                }
            }
            return new Tail(lines, segments.isEmpty() ? 0 : segments.getLast().number(), end);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read the audit log: " + failure.getMessage(), failure);
        }
    }

    /// Puts a segment's last lines in front of the others, and says where its last whole line ends.
    private static long readBackwards(Path file, int count, Deque<String> lines) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long end = channel.size();
            byte[] window = TailWindow.read(channel, end);
            int newline = TailWindow.lastNewline(window, window.length);
            long whole = newline < 0 ? 0 : end - window.length + newline + 1;
            end = whole;
            while (end > 0 && lines.size() < count) {
                window = TailWindow.read(channel, end);
                int lineEnd = window.length - 1;
                while (lineEnd > 0 && lines.size() < count) {
                    int before = TailWindow.lastNewline(window, lineEnd);
                    if (before < 0 && window.length < end) {
                        break;
                    }
                    lines.addFirst(new String(window, before + 1, lineEnd - before - 1, StandardCharsets.US_ASCII));
                    lineEnd = before;
                }
                long read = window.length - 1L - lineEnd;
                if (read <= 0) {
                    throw new IOException(file + " holds a line longer than any record");
                }
                end -= read;
            }
            return whole;
        }
    }

    private static String text(byte[] line) {
        return new String(line, StandardCharsets.US_ASCII);
    }
}
