package dev.glovebox.cell;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;

/// The cell's log: one JSON object a line on standard error. It takes constants and numbers, and of a failure
/// only the classes and our own frames: an exception's message could hold text of a guest. Bounded, because a
/// guest might find a way to cause failures. Thread-safe.
final class CellLog {
    private static final int LINES_MAX = 10_000;
    private static final int FRAMES_MAX = 12;

    private final PrintStream out;
    private final AtomicInteger lines = new AtomicInteger();

    CellLog(PrintStream out) {
        this.out = out;
    }

    void info(String event, String name, long value) {
        print("{\"level\":\"info\",\"event\":\"" + event + "\",\"" + name + "\":" + value + "}");
    }

    void error(String event, Throwable cause) {
        StringBuilder text = new StringBuilder("{\"level\":\"error\",\"event\":\"" + event + "\",\"cause\":\"");
        for (Throwable at = cause; at != null; at = at.getCause()) {
            text.append(at.getClass().getName()).append(' ');
        }
        text.append("\",\"at\":\"");
        StackTraceElement[] frames = cause.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, FRAMES_MAX); i++) {
            text.append(frames[i].getClassName())
                    .append('.')
                    .append(frames[i].getMethodName())
                    .append(':')
                    .append(frames[i].getLineNumber())
                    .append(' ');
        }
        print(text.append("\"}").toString());
    }

    private void print(String line) {
        if (lines.incrementAndGet() <= LINES_MAX) {
            out.println(line);
        }
    }
}
