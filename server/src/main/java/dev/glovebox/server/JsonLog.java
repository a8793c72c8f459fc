package dev.glovebox.server;

import dev.glovebox.sdk.RecordJson;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/// The operator's log: one line of JSON per event on standard error. It may be lost; evidence is in the audit
/// log. The JDK finds it as its `System.Logger` provider, so that `java.util.logging`, which costs a command
/// line 20 ms, is never loaded. Thread-safe.
public final class JsonLog extends System.LoggerFinder {
    /// Only a server has an operator; a command line speaks to a person, in sentences.
    private static final Clock CLOCK = Clock.systemUTC();

    private static volatile System.Logger.Level threshold = System.Logger.Level.OFF;

    /// Shows events from here on.
    static void show() {
        threshold = System.Logger.Level.INFO;
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Lines(name);
    }

    private record Lines(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            // Helidon says at INFO what we say ourselves.
            Level least =
                    name.startsWith("io.helidon") && threshold.compareTo(Level.WARNING) < 0 ? Level.WARNING : threshold;
            return level != Level.OFF && level.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                print(level, String.valueOf(message), thrown);
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
            if (isLoggable(level)) {
                boolean isPlain = format == null || parameters == null || parameters.length == 0;
                print(level, isPlain ? String.valueOf(format) : MessageFormat.format(format, parameters), null);
            }
        }

        private void print(Level level, String message, @Nullable Throwable thrown) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("at", CLOCK.instant().toString());
            line.put("level", level.getName());
            line.put("logger", name);
            line.put("message", message);
            if (thrown != null) {
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));
                line.put("thrown", trace.toString());
            }
            PrintStream err = System.err;
            err.println(new String(RecordJson.write(line), StandardCharsets.UTF_8));
        }
    }
}
