package dev.glovebox.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// What was measured, printed as it comes and kept for the JSON file. Belongs to one thread.
final class Sheet {
    private static final String FORMAT = "%-50s %12s %12s %7s %11s %-6s %s%n";

    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private String section = "";

    Sheet(PrintStream out) {
        this.out = out;
    }

    /// Begins a part of the table.
    void section(String name, String title) {
        section = name;
        out.printf(Locale.ROOT, "%n%s: %s (load %s)%n", name, title, Processes.load());
        out.printf(Locale.ROOT, FORMAT, "", "figure", "bare", "ratio", "target", "", "");
    }

    void add(String what, Figure figure, @Nullable Figure bare, @Nullable Target target) {
        Row row = new Row(section, what, figure, bare, target);
        rows.add(row);
        String bareText = bare == null ? "-" : bare.text();
        String ratio = Double.isNaN(row.ratio()) ? "-" : Figure.number(row.ratio()) + " x";
        String targetText = target == null ? "-" : target.text(figure.unit());
        String detail = figure.detail().isEmpty() ? "" : "(" + figure.detail() + ")";
        out.printf(Locale.ROOT, FORMAT, what, figure.text(), bareText, ratio, targetText, row.verdict(), detail);
    }

    void note(String text) {
        out.println("  " + text);
    }

    /// Something could not be measured: the benchmark's exit status says so.
    void failure(String what) {
        failures.add(section + ": " + what);
        out.println("  FAILED TO RUN " + what);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }

    /// Says once more what was missed, and what did not run.
    void close() {
        out.println();
        rows.stream()
                .filter(row -> row.verdict().equals("MISSED"))
                .forEach(row -> out.println("MISSED " + row.section() + ": " + row.what() + " is "
                        + row.figure().text()));
        failures.forEach(failure -> out.println("FAILED TO RUN " + failure));
        long met = rows.stream().filter(row -> row.verdict().equals("ok")).count();
        long missed =
                rows.stream().filter(row -> row.verdict().equals("MISSED")).count();
        out.println(met + " targets met, " + missed + " missed, " + failures.size() + " failed to run");
    }

    void writeJson(Path file, String load) throws IOException {
        try (OutputStream target = Files.newOutputStream(file);
                JsonGenerator json =
                        JsonFactory.builder().build().createGenerator(ObjectWriteContext.empty(), target)) {
            json.writeStartObject();
            json.writeStringProperty("loadBefore", load);
            json.writeStringProperty("loadAfter", Processes.load());
            json.writeArrayPropertyStart("rows");
            rows.forEach(row -> write(json, row));
            json.writeEndArray();
            json.writeArrayPropertyStart("failures");
            failures.forEach(json::writeString);
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private static void write(JsonGenerator json, Row row) {
        json.writeStartObject();
        json.writeStringProperty("section", row.section());
        json.writeStringProperty("what", row.what());
        json.writeStringProperty("unit", row.figure().unit());
        number(json, "figure", row.figure().value());
        json.writeStringProperty("detail", row.figure().detail());
        number(json, "bare", row.bare() == null ? Double.NaN : row.bare().value());
        number(json, "ratio", row.ratio());
        number(json, "target", row.target() == null ? Double.NaN : row.target().bound());
        json.writeStringProperty("verdict", row.verdict());
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, double value) {
        if (Double.isFinite(value)) {
            json.writeNumberProperty(name, value);
        }
    }
}
